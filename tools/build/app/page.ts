/** The app's static files: the page with its policy and integrity hashes, manifests, artifacts and checksums. */
import { createHash } from "node:crypto";
import { type ConnectSources, metaPolicy } from "../../../src/http/app/app_headers.ts";

type Bytes = Uint8Array<ArrayBuffer>;

interface PageParts {
  readonly template: string;
  readonly style: { readonly name: string; readonly bytes: Bytes };
  /** The entry first, then what it imports at once. */
  readonly scripts: readonly { readonly name: string; readonly bytes: Bytes }[];
  readonly connect: ConnectSources;
}

/** Fills in `app/index.html`. */
export function renderPage({ template, style, scripts, connect }: PageParts): string {
  const [entry, ...others] = scripts;
  const preloads = others.map(({ name, bytes }) =>
    `<link rel="modulepreload" href="${name}" integrity="${integrityOf(bytes)}">`
  );
  const values: Record<string, string> = {
    CSP: metaPolicy(connect),
    STYLE: style.name,
    STYLE_INTEGRITY: integrityOf(style.bytes),
    ENTRY: entry.name,
    ENTRY_INTEGRITY: integrityOf(entry.bytes),
    PRELOADS: preloads.join("\n    "),
  };
  return template.replace(/%([A-Z_]+)%/g, (_, name: string) => {
    if (!(name in values)) throw new Error(`app/index.html names %${name}%, which the build does not know`);
    return values[name];
  }).replace(/\n\s*\n/g, "\n");
}

export function integrityOf(bytes: Bytes): string {
  return `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
}

export function sha256Of(bytes: Bytes | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The lines that `sha256sum -c` reads, in the order of names. */
export function checksums(files: ReadonlyMap<string, Bytes>): string {
  return [...files].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, bytes]) => `${sha256Of(bytes)}  ${name}\n`).join("");
}

/** The first 8 bytes of SHA-256, in hex. */
export function contentHash(bytes: Bytes): string {
  return sha256Of(bytes).slice(0, 16);
}

/** Returns the name of a file with the hash of its content before the suffix. */
export function hashedName(name: string, bytes: Bytes): string {
  const [, stem, extension] = /^(.*)(\.[a-z0-9]+)$/.exec(name)!;
  return `${stem}-${contentHash(bytes)}${extension}`;
}
