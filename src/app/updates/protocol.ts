/** The messages between the page and the service worker, and the manifest that both read. */

/** `version.json`: every file of the build with its hash. */
export interface AppVersion {
  readonly version: string;
  readonly hash: string; // SHA-256 of `SHA256SUMS`
  readonly files: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
}

/** What a version consists of. */
export interface VersionContent {
  /** The text of the settings, JSON. */
  readonly config: string;
  readonly files: Readonly<Record<string, { readonly sha256: string }>>;
}

export interface KnownVersions {
  readonly running: string;
  readonly waiting?: string;
  /** Of a version that waits, and of the one that it would replace. */
  readonly contents?: { readonly running: VersionContent; readonly waiting: VersionContent };
  /** Accepts the waiting version, for the page that got it. Other pages of the origin do not know it. */
  readonly token?: string;
}

export type ServiceRequest =
  /** Compares the accepted version with the server's, and fetches a new one. Answers with {@linkcode KnownVersions}. */
  | { readonly kind: "check" }
  /**
   * Serves the version with this id from now on, if the page is visible and has the token of its last check. Answers with
   * {@linkcode KnownVersions}.
   */
  | { readonly kind: "accept"; readonly id: string; readonly token: string };

/** Appended to the URL of the settings, so that the worker forwards the request to the server. */
export const LIVE_QUERY = "?live";
