/** Tries a mutant of the TypeScript sources: writes it into a copy of the repository and runs tests until one fails. */
import { applyMutant, type Mutant } from "../operators.ts";
import type { TrialResult } from "../tolk/trial.ts";
import { rankTestFiles, type TestFile } from "./test_selection.ts";

/** A copy of the repository, in which one mutant at a time is tried. */
export class MutationCopy {
  constructor(readonly folder: URL) {}

  /** Copies the files that Git tracks, and new ones that it does not ignore. */
  static async create(root: URL, folder: URL): Promise<MutationCopy> {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await Deno.mkdir(folder, { recursive: true });
    const command =
      'git ls-files -z -co --exclude-standard | xargs -0 cp -a --parents -t "$1" 2> /dev/null; test -d "$1/src"';
    const { success } = await new Deno.Command("sh", {
      args: ["-c", command, "sh", folder.pathname],
      cwd: root,
    }).output();
    if (!success) throw new Error(`the repository could not be copied to ${folder.pathname}`);
    return new MutationCopy(folder);
  }

  /** Runs `use` while the mutant is in place. */
  async withMutant<T>(mutant: Mutant, use: () => Promise<T>): Promise<T> {
    const path = new URL(mutant.file, this.folder);
    const original = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, applyMutant(original, mutant, original)!);
    try {
      return await use();
    } finally {
      await Deno.writeTextFile(path, original);
    }
  }

  /** Runs a test file. A run that exceeds its deadline is ended and counts as failed. */
  async run(test: TestFile): Promise<"passed" | "failed" | "hung" | "refused"> {
    const started = performance.now();
    const child = new Deno.Command("timeout", {
      args: [
        ...["--signal=KILL", String(Math.ceil(deadlineMs(test) / 1000)), Deno.execPath()],
        ...["test", "-A", "--no-check", "--fail-fast", test.path],
      ],
      cwd: this.folder,
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
    const { code, stdout, stderr } = await child.output();
    if (code === 0) {
      test.milliseconds = performance.now() - started;
      return "passed";
    }
    if (code === 137 || code === 124) return "hung";
    const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    return DOES_NOT_PARSE.test(text) ? "refused" : "failed";
  }
}

/** Mutants that do not parse do not count. */
const DOES_NOT_PARSE = /source code could not be parsed|\bSyntaxError: (?!.*JSON)/;

function deadlineMs({ milliseconds }: TestFile): number {
  return 20_000 + 8 * milliseconds;
}

/**
 * Tries a mutant on these test files.
 *
 * A test that also fails on the unchanged sources is left out.
 */
export async function tryTypeScriptMutant(
  copy: MutationCopy,
  mutant: Mutant,
  tests: readonly TestFile[],
): Promise<TrialResult> {
  for (const test of rankTestFiles(tests, mutant.file)) {
    if (test.passesUnchanged === false) continue;
    const outcome = await copy.withMutant(mutant, () => copy.run(test));
    if (outcome === "refused") return { verdict: "refused" };
    if (outcome === "passed") continue;
    test.passesUnchanged ??= await copy.run(test) === "passed";
    if (!test.passesUnchanged) {
      console.error(`${test.path}: left out, it fails on the unchanged sources`);
      continue;
    }
    test.kills.set(mutant.file, (test.kills.get(mutant.file) ?? 0) + 1);
    return { verdict: "killed", by: test.path, ...(outcome === "hung" && { hung: true }) };
  }
  return { verdict: "survived" };
}
