import { Problem } from "../core/errors/problem.ts";

/** Not inline: a bundler would resolve the URLs below against the npm package's code. */
const MODULE_URL = import.meta.url;

/** A bundle that moves the files assigns their new URLs before it creates a prover. */
export const proverLocations: {
  worker: URL;
  artifacts: URL;
  read: (file: URL) => Promise<Uint8Array<ArrayBuffer>>;
} = {
  worker: new URL("./prover_worker.ts", MODULE_URL),
  artifacts: new URL("../../artifacts/", MODULE_URL),
  async read(file) {
    if (file.protocol === "file:") return await Deno.readFile(file);
    return await fetchArtifact(file);
  },
};

async function fetchArtifact(file: URL): Promise<Uint8Array<ArrayBuffer>> {
  const unavailable = (reason: string, cause?: unknown) =>
    new Problem("artifact_unavailable", `${file} cannot be fetched: ${reason}`, { cause });
  try {
    const response = await fetch(file);
    if (!response.ok) throw unavailable(`the server answered with status ${response.status}`);
    // The server of a single-page application returns its page for a missing file.
    const html = response.headers.get("content-type")?.startsWith("text/html");
    if (html) throw unavailable("the server answered with an HTML page");
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    throw cause instanceof Problem ? cause : unavailable("the request failed", cause);
  }
}
