/** `tonado completions`: what a shell needs to complete commands and flags, read from the program itself. */
import { Argument, Command } from "commander";
import type { Wiring } from "./wiring.ts";

/** Shells that are known. */
const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** Stands for any file or folder among the values that may be given. */
const FILE = "<file>";

/** One command line that ends in `path`, and what may follow. */
interface Place {
  /** Without the program's own name: `note create`. */
  readonly path: string;
  readonly words: readonly Word[];
  /** What its arguments may be, as far as it is known. */
  readonly values: readonly string[];
}

/** A command, or a flag. */
interface Word {
  readonly word: string;
  readonly help: string;
  /** Of a flag that takes a value: what it may be, as far as it is known. */
  readonly values?: readonly string[];
}

/** The command. */
export function completionsCommand(wiring: Wiring): Command {
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
    const script = scripts[shell](places(command.parent!));
    wiring.stdout.write(json ? JSON.stringify({ shell, script }) + "\n" : script);
  });
}

function places(program: Command, path: readonly string[] = []): Place[] {
  const flags = program.options.flatMap(({ long, description, required, optional, argChoices, flags }) =>
    long
      ? [{
        word: long,
        help: description,
        ...(required || optional) && { values: argChoices ?? filesOf(flags) },
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
    each.argChoices ?? filesOf(`<${each.name()}>`)
  );
  const below = program.commands.flatMap((each) => places(each, [...path, each.name()]));
  return [{ path: path.join(" "), words, values }, ...help, ...below];
}

/** By the name that it has in help. */
function filesOf(name: string): string[] {
  return /<(file|dir|directory)>/.test(name) ? [FILE] : [];
}

const scripts: Record<Shell, (places: readonly Place[]) => string> = {
  bash: (places) =>
    `${shellFunctions(places)}
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
    [[ "$words" = "${FILE}" && "$current" != -* ]] || words="$words $(_tonado_words "$path")"
  fi
  [[ "$words" = "${FILE}" ]] || mapfile -t COMPREPLY < <(compgen -W "\${words//"${FILE}"/}" -- "$current")
}
complete -o default -F _tonado tonado # which completes files where nothing else is found
`,
  zsh: (places) =>
    `#compdef tonado
${shellFunctions(places)}
_tonado() {
  local at="" word values before="\${words[CURRENT-1]}"
  if compset -P 1 '--*='; then before="\${IPREFIX%=}"; fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    _tonado_words "\${at:+$at }$word" >/dev/null && at="\${at:+$at }$word"
  done
  if values="$(_tonado_values "$at $before")"; then
    if [[ "$values" = "${FILE}" ]]; then _files; else compadd -- \${=values}; fi
    return
  fi
  compadd -- \${=$(_tonado_words "$at")} \${\${=$(_tonado_values "$at")}:#${FILE}}
  _files
}
if [[ \${funcstack[1]} = _tonado ]]; then
  _tonado "$@" # found in fpath, and run for the first time
else
  compdef _tonado tonado
fi
`,
  fish: (places) =>
    "complete -c tonado -f\n" + places.flatMap((place) => {
      const at = `complete -c tonado -n ${condition(place.path, places)}`;
      const words = place.words.map(({ word, help, values }) => {
        const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-a ${word}`;
        return `${at} ${what}${values ? fishValue(values) : ""} -d ${quoted(help)}\n`;
      });
      if (place.values.length === 0) return words;
      return [
        ...words,
        `${at}${place.values.includes(FILE) ? " -F" : ` -a ${quoted(place.values.join(" "))}`}\n`,
      ];
    }).join(""),
};

/** How fish is told of a flag's value. */
function fishValue(values: readonly string[]): string {
  if (values.includes(FILE)) return " -r -F";
  return values.length > 0 ? ` -x -a ${quoted(values.join(" "))}` : " -x";
}

/** Functions that print what may follow a path, and the values of its arguments or of a flag; they fail for what is none. */
function shellFunctions(places: readonly Place[]): string {
  const words = places.map(({ path, words }): [string, string[]] => [path, words.map(({ word }) => word)]);
  const values = places.flatMap(({ path, words, values }): [string, readonly string[]][] => [
    ...values.length > 0 ? [[path, values] as [string, readonly string[]]] : [],
    ...words.flatMap(({ word, values }): [string, readonly string[]][] =>
      values ? [[`${path} ${word}`, values]] : []
    ),
  ]);
  return [shellFunction("_tonado_words", words), shellFunction("_tonado_values", values)].join("\n");
}

function shellFunction(name: string, table: readonly [key: string, printed: readonly string[]][]): string {
  const cases = table.map(([key, printed]) => `    ${quoted(key)}) echo ${quoted(printed.join(" "))} ;;\n`);
  return `${name}() {\n  case "$1" in\n${cases.join("")}    *) return 1 ;;\n  esac\n}`;
}

function condition(path: string, places: readonly Place[]): string {
  if (path === "") return "__fish_use_subcommand";
  const seen = path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
  const below = places.filter((place) => place.path.startsWith(`${path} `)).map(({ path }) =>
    path.split(" ").pop()
  );
  if (below.length > 0) seen.push(`not __fish_seen_subcommand_from ${below.join(" ")}`);
  return quoted(seen.join("; and "));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
