/** `tonado completions`: what a shell needs to complete commands and flags, read from the program itself. */
import { Argument, Command } from "commander";
import type { Wiring } from "./wiring.ts";

/** Shells that are known. */
const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** One command line that ends in `path`, and what may follow. */
interface Place {
  /** Without the program's own name: `note create`. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly help: string }[];
}

/** The command. */
export function completionsCommand(wiring: Wiring): Command {
  const command = new Command("completions")
    .description("print a script that completes commands and flags in a shell")
    .addArgument(new Argument("<shell>").choices(shells))
    .option("--json", "print JSON")
    .option("--quiet", "print only what must be known: the script")
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
  const flags = program.options.flatMap(({ long, description }) =>
    long ? [{ word: long, help: description }] : []
  );
  const words = [
    ...program.commands.map((each) => ({ word: each.name(), help: each.description() })),
    ...flags,
    { word: "--help", help: "display help for command" },
  ];
  const below = program.commands.flatMap((each) => places(each, [...path, each.name()]));
  return [{ path: path.join(" "), words }, ...below];
}

const scripts: Record<Shell, (places: readonly Place[]) => string> = {
  bash: (places) =>
    `${shellWords(places)}
_tonado() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    _tonado_words "\${path:+$path }$word" >/dev/null && path="\${path:+$path }$word"
  done
  mapfile -t COMPREPLY < <(compgen -W "$(_tonado_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _tonado tonado
`,
  zsh: (places) =>
    `#compdef tonado
${shellWords(places)}
_tonado() {
  local at="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    _tonado_words "\${at:+$at }$word" >/dev/null && at="\${at:+$at }$word"
  done
  compadd -- \${=$(_tonado_words "$at")}
  _files
}
if [[ \${funcstack[1]} = _tonado ]]; then
  _tonado "$@" # found in fpath, and run for the first time
else
  compdef _tonado tonado
fi
`,
  fish: (places) =>
    "complete -c tonado -f\n" + places.flatMap(({ path, words }) =>
      words.map(({ word, help }) => {
        const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-a ${word}`;
        return `complete -c tonado -n ${condition(path, places)} ${what} -d ${quoted(help)}\n`;
      })
    ).join(""),
};

/** A function that prints what may follow a path, and fails for what is none. */
function shellWords(places: readonly Place[]): string {
  const cases = places.map(({ path, words }) =>
    `    ${quoted(path)}) echo ${quoted(words.map(({ word }) => word).join(" "))} ;;\n`
  );
  return `_tonado_words() {\n  case "$1" in\n${cases.join("")}    *) return 1 ;;\n  esac\n}`;
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
