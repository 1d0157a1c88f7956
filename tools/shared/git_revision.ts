import { commandOutput } from "./command.ts";

/** Returns today's date and the commit: `2026-11-23, commit 1a2b3c4`, or `..., commit 1a2b3c4 with changes`. */
export async function dateAndCommit(): Promise<string> {
  const date = new Date().toISOString().slice(0, 10);
  const changed = (await git("status", "--porcelain", "--untracked-files=no")) !== "";
  return `${date}, commit ${await git("rev-parse", "--short", "HEAD")}${changed ? " with changes" : ""}`;
}

function git(...args: string[]): Promise<string> {
  return commandOutput("git", args, { cwd: new URL("../..", import.meta.url) });
}
