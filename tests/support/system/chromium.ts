/** Opens pages in headless Chromium. */
import { hasProgram } from "./requirements.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

const CHROMIUM_NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The name of the installed Chromium; undefined if there is none. */
export const chromium: string | undefined = (await Promise.all(
  CHROMIUM_NAMES.map(async (name) => await hasProgram(name) ? name : undefined),
)).find((name) => name !== undefined);

/** Opens a page and waits for `work`, which the page completes. Throws with Chromium's output if it exits first. */
export async function withPage<T>(url: string, work: Promise<T>): Promise<T> {
  const profile = await Deno.makeTempDir({ prefix: "tonado-chromium-" });
  const child = childCommand(chromium!, {
    args: [
      ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
      ...["--disable-background-networking", `--user-data-dir=${profile}`, "--remote-debugging-port=0"],
      url,
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  let done = false;
  const ended = child.status.then(async ({ code }) => {
    if (!done) throw new Error(`Chromium ended with ${code}: ${await errors}`);
  });
  try {
    return await Promise.race([work, ended.then(() => work)]);
  } finally {
    done = true;
    try {
      child.kill("SIGTERM");
    } catch { /* it has ended */ }
    await child.status;
    await errors;
    await Deno.remove(profile, { recursive: true });
  }
}
