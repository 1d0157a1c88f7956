/** A directory for the length of a test. */

/** Runs `test` with one, and removes it. */
export async function inDirectory(test: (dir: string) => Promise<void>) {
  const dir = await Deno.makeTempDir({ prefix: "tonado-test-" });
  try {
    await test(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
