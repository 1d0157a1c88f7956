import { Problem } from "../core/errors/problem.ts";
import { cancelled } from "../core/time/deadline.ts";

/** Bytes so far, and in all if the server reports it. */
export interface ArtifactProgress {
  readonly received: number;
  readonly total: number | undefined;
}

export interface ArtifactReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ArtifactProgress) => void) | undefined;
}

/** Not inline: a bundler would resolve the URLs below against the npm package's code. */
const MODULE_URL = import.meta.url;

/** A bundle that moves the files assigns their new URLs before it creates a prover. */
export const proverLocations: {
  worker: URL;
  artifacts: URL;
  read: (file: URL, options?: ArtifactReadOptions) => Promise<Uint8Array<ArrayBuffer>>;
} = {
  worker: new URL("./prover_worker.ts", MODULE_URL),
  artifacts: new URL("../../artifacts/", MODULE_URL),
  async read(file, options) {
    if (file.protocol === "file:") return await Deno.readFile(file);
    return await fetchArtifact(file, options);
  },
};

async function fetchArtifact(
  file: URL,
  { signal, onProgress }: ArtifactReadOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const unavailable = (reason: string, cause?: unknown) =>
    new Problem("artifact_unavailable", `${file} cannot be fetched: ${reason}`, { cause });
  try {
    const response = await fetch(file, signal ? { signal } : {});
    if (!response.ok) throw unavailable(`the server answered with status ${response.status}`);
    // The server of a single-page application returns its page for a missing file.
    const html = response.headers.get("content-type")?.startsWith("text/html");
    if (html) throw unavailable("the server answered with an HTML page");
    return await readBody(response, onProgress);
  } catch (cause) {
    if (signal?.aborted) throw cancelled(signal);
    throw cause instanceof Problem ? cause : unavailable("the request failed", cause);
  }
}

async function readBody(
  response: Response,
  onProgress: ArtifactReadOptions["onProgress"],
): Promise<Uint8Array<ArrayBuffer>> {
  if (onProgress === undefined || response.body === null) return new Uint8Array(await response.arrayBuffer());
  // The length of an encoded body is not the length of its content.
  const length = response.headers.has("content-encoding") ? null : response.headers.get("content-length");
  const total = length !== null && Number(length) > 0 ? Number(length) : undefined;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  const reader = response.body.getReader(); // not every browser iterates over a stream
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    onProgress({ received: received += part.value.length, total });
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
