import { Argument, Command } from "commander";
import type { CliContext } from "../context.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

const FILE_PLACEHOLDER = "<file>";

interface CompletionContext {
  readonly path: string; // without the program's name: `note create`
  readonly words: readonly CompletionWord[];
  readonly values: readonly string[];
}

interface CompletionWord {
  readonly word: string;
  readonly help: string;
  readonly values?: readonly string[];
}

export function completionsCommand(context: CliContext): Command {
  const command = new Command("completions")
    .description("print a script that completes commands and flags in a shell")
    .addArgument(new Argument("<shell>").choices(shells))
    .option("--json", "print JSON")
    .option("--quiet", "print only essential output: the script")
    .addHelpText(
      "after",
      "\nExamples:\n  source <(tonado completions bash)\n" +
        "  tonado completions zsh > ~/.zfunc/_tonado\n" +
        "  tonado completions fish > ~/.config/fish/completions/tonado.fish",
    );
  return command.action((shell: Shell, { json }: { readonly json?: boolean }) => {
    const script = scriptGenerators[shell](collectContexts(command.parent!));
    context.stdout.write(json ? JSON.stringify({ shell, script }) + "\n" : script);
  });
}

function collectContexts(program: Command, path: readonly string[] = []): CompletionContext[] {
  const flags = program.options.flatMap(({ long, description, required, optional, argChoices, flags }) =>
    long
      ? [{
        word: long,
        help: description,
        ...(required || optional) && { values: argChoices ?? fileValuesOf(flags) },
      }]
      : []
  );
  const commands = program.commands.map((each) => ({ word: each.name(), help: each.description() }));
  const help = path.length === 0 ? [{ path: "help", words: commands, values: [] }] : [];
  const words = [
    ...commands,
    ...help.map(({ path }) => ({ word: path, help: "display help for command" })),
    ...flags,
    { word: "--help", help: "display help for command" },
  ];
  const values = program.registeredArguments.flatMap((each) =>
    each.argChoices ?? fileValuesOf(`<${each.name()}>`)
  );
  const below = program.commands.flatMap((each) => collectContexts(each, [...path, each.name()]));
  return [{ path: path.join(" "), words, values }, ...help, ...below];
}

function fileValuesOf(name: string): string[] {
  return /<(file|dir|directory)>/.test(name) ? [FILE_PLACEHOLDER] : [];
}

const scriptGenerators: Record<Shell, (contexts: readonly CompletionContext[]) => string> = {
  bash: (contexts) =>
    `${shellFunctions(contexts)}
_tonado() {
  local path="" word words current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash takes --network=test for three words
  if [[ "$current" = "=" ]]; then current=""
  elif [[ "$before" = "=" ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    _tonado_words "\${path:+$path }$word" >/dev/null && path="\${path:+$path }$word"
  done
  COMPREPLY=()
  if words="$(_tonado_values "$path $before")"; then
    [[ "$words" ]] || compopt +o default 2>/dev/null
  else
    words="$(_tonado_values "$path")"
    [[ "$words" = "${FILE_PLACEHOLDER}" && "$current" != -* ]] || words="$words $(_tonado_words "$path")"
  fi
  [[ "$words" = "${FILE_PLACEHOLDER}" ]] || mapfile -t COMPREPLY < <(compgen -W "\${words//"${FILE_PLACEHOLDER}"/}" -- "$current")
}
complete -o default -F _tonado tonado # which completes files where nothing else is found
`,
  zsh: (contexts) =>
    `#compdef tonado
${shellFunctions(contexts)}
_tonado() {
  local at="" word values before="\${words[CURRENT-1]}"
  if compset -P 1 '--*='; then before="\${IPREFIX%=}"; fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    _tonado_words "\${at:+$at }$word" >/dev/null && at="\${at:+$at }$word"
  done
  if values="$(_tonado_values "$at $before")"; then
    if [[ "$values" = "${FILE_PLACEHOLDER}" ]]; then _files; else compadd -- \${=values}; fi
    return
  fi
  compadd -- \${=$(_tonado_words "$at")} \${\${=$(_tonado_values "$at")}:#${FILE_PLACEHOLDER}}
  _files
}
if [[ \${funcstack[1]} = _tonado ]]; then
  _tonado "$@" # found in fpath, and run for the first time
else
  compdef _tonado tonado
fi
`,
  fish: (contexts) =>
    "complete -c tonado -f\n" + contexts.flatMap((entry) => {
      const at = `complete -c tonado -n ${fishCondition(entry.path, contexts)}`;
      const words = entry.words.map(({ word, help, values }) => {
        const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-a ${word}`;
        return `${at} ${what}${values ? fishValueFlags(values) : ""} -d ${quoteForScript(help)}\n`;
      });
      if (entry.values.length === 0) return words;
      return [
        ...words,
        `${at}${
          entry.values.includes(FILE_PLACEHOLDER) ? " -F" : ` -a ${quoteForScript(entry.values.join(" "))}`
        }\n`,
      ];
    }).join(""),
};

function fishValueFlags(values: readonly string[]): string {
  if (values.includes(FILE_PLACEHOLDER)) return " -r -F";
  return values.length > 0 ? ` -x -a ${quoteForScript(values.join(" "))}` : " -x";
}

/** Shell functions that print what can follow a path. They fail for an unknown path. */
function shellFunctions(contexts: readonly CompletionContext[]): string {
  const words = contexts.map(({ path, words }): [string, string[]] => [path, words.map(({ word }) => word)]);
  const values = contexts.flatMap(({ path, words, values }): [string, readonly string[]][] => [
    ...values.length > 0 ? [[path, values] as [string, readonly string[]]] : [],
    ...words.flatMap(({ word, values }): [string, readonly string[]][] =>
      values ? [[`${path} ${word}`, values]] : []
    ),
  ]);
  return [shellFunction("_tonado_words", words), shellFunction("_tonado_values", values)].join("\n");
}

function shellFunction(name: string, table: readonly [key: string, printed: readonly string[]][]): string {
  const cases = table.map(([key, printed]) =>
    `    ${quoteForScript(key)}) echo ${quoteForScript(printed.join(" "))} ;;\n`
  );
  return `${name}() {\n  case "$1" in\n${cases.join("")}    *) return 1 ;;\n  esac\n}`;
}

function fishCondition(path: string, contexts: readonly CompletionContext[]): string {
  if (path === "") return "__fish_use_subcommand";
  const seen = path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
  const below = contexts.filter((entry) => entry.path.startsWith(`${path} `)).map(({ path }) =>
    path.split(" ").pop()
  );
  if (below.length > 0) seen.push(`not __fish_seen_subcommand_from ${below.join(" ")}`);
  return quoteForScript(seen.join("; and "));
}

function quoteForScript(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
