/** Reads the files of the built app. Those that proofs need come from the prover's artifacts. */
import { Problem } from "../../core/errors/problem.ts";
import { proverLocations } from "../../prover/locations.ts";

/** Not inline: a bundler would resolve the URL below against the binary's code. */
const MODULE_URL = import.meta.url;

/** A program that embeds the app assigns both before it serves it. */
export const appLocations: {
  folder: URL;
  read: (file: URL) => Promise<Uint8Array<ArrayBuffer>>;
} = {
  folder: new URL("../../../dist/app/", MODULE_URL),
  read: (file) => Deno.readFile(file),
};

/** `version.json`. */
export interface AppManifest {
  readonly hash: string;
  readonly files: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
  readonly bridges: readonly string[]; // origins of the wallets' bridges
}

/** Throws `not_found` with the task that builds the app. */
export async function readManifest(): Promise<AppManifest> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await readAppFile("version.json");
  } catch (cause) {
    throw new Problem("not_found", "the app has not been built", {
      cause,
      hint: "Run `deno task app:build` in the checkout, or use the compiled program.",
    });
  }
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** `name` is one that the manifest lists. */
export async function readAppFile(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const artifact = /^artifacts\/(.+)$/.exec(name)?.[1];
  if (artifact !== undefined) return await proverLocations.read(new URL(artifact, proverLocations.artifacts));
  return await appLocations.read(new URL(name, appLocations.folder));
}
