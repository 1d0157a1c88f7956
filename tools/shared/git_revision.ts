/** Returns today's date and the commit: `2026-11-23, commit 1a2b3c4`, or `..., commit 1a2b3c4 with changes`. */
export async function dateAndCommit(): Promise<string> {
  const date = new Date().toISOString().slice(0, 10);
  const changed = (await git("status", "--porcelain", "--untracked-files=no")) !== "";
  return `${date}, commit ${await git("rev-parse", "--short", "HEAD")}${changed ? " with changes" : ""}`;
}

async function git(...args: string[]): Promise<string> {
  const { success, stdout } = await new Deno.Command("git", { args, cwd: new URL("../..", import.meta.url) })
    .output();
  if (!success) throw new Error(`git ${args.join(" ")} failed: figures are published from a checkout only`);
  return new TextDecoder().decode(stdout).trim();
}
