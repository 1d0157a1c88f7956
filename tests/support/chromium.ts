/** A page in headless Chromium. */

/** Where Chromium is, if it is. */
export const chromium: string | undefined = (await Promise.all(
  ["chromium", "chromium-browser", "google-chrome"].map(async (name) => {
    const found = await new Deno.Command("which", { args: [name] }).output().catch(() => undefined);
    return found?.success ? new TextDecoder().decode(found.stdout).trim() : undefined;
  }),
)).find((path) => path !== undefined);

/**
 * Opens a page and waits for `work`, which the page itself brings about. Throws with what Chromium wrote when it ends
 * before.
 */
export async function withPage<T>(url: string, work: Promise<T>): Promise<T> {
  const profile = await Deno.makeTempDir({ prefix: "tonado-chromium-" });
  const child = new Deno.Command(chromium!, {
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
