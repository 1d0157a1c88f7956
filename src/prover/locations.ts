/** Where this folder's worker module and the artifacts lie, and how they are read. */
import { Problem } from "../core/errors.ts";

/** Not written inline: bundlers would look for the files below beside the npm package's code, where they are not. */
const here = import.meta.url;

/** The one place to change when they are moved: a bundled program assigns to it before it makes the first prover. */
export const locations: {
  worker: URL;
  artifacts: URL;
  /** Reads an artifact's file; throws a Problem, or anything else for a file that is missing or damaged. */
  read: (file: URL) => Promise<Uint8Array<ArrayBuffer>>;
} = {
  worker: new URL("./worker.ts", here),
  artifacts: new URL("../../artifacts/", here),
  async read(file) {
    if (file.protocol === "file:") return await Deno.readFile(file);
    return await fetched(file);
  },
};

/** @throws {Problem} `artifact_unavailable` with the URL */
async function fetched(file: URL): Promise<Uint8Array<ArrayBuffer>> {
  const unavailable = (why: string, cause?: unknown) =>
    new Problem("artifact_unavailable", `${file} cannot be fetched: ${why}`, { cause });
  try {
    const response = await fetch(file);
    if (!response.ok) throw unavailable(`the server answered with status ${response.status}`);
    // A server of a single-page application answers with its page where there is no such file.
    const html = response.headers.get("content-type")?.startsWith("text/html");
    if (html) throw unavailable("the server answered with an HTML page");
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    throw cause instanceof Problem ? cause : unavailable("the request failed", cause);
  }
}
