/** Creates a temporary directory, passes its path to `use`, and removes the directory when `use` ends. */
export async function withTempDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await Deno.makeTempDir({ prefix: "tonado-" });
  try {
    return await use(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
