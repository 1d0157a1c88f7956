/** The tasks of the worker that has the keys of note stores. */
export type VaultTask =
  | { readonly kind: "create"; readonly passphrase: string; readonly isLight: boolean }
  | { readonly kind: "open"; readonly bytes: Uint8Array; readonly passphrase: string }
  | { readonly kind: "encrypt"; readonly vault: number; readonly text: string }
  | { readonly kind: "decrypt"; readonly vault: number; readonly bytes: Uint8Array }
  | { readonly kind: "paper"; readonly vault: number; readonly text: string }
  | { readonly kind: "openPaper"; readonly code: string; readonly passphrase: string }
  | { readonly kind: "close"; readonly vault: number };

/** Results by task. `vault` is the number of a key in the worker. */
export interface VaultResults extends Record<VaultTask["kind"], unknown> {
  readonly create: number;
  readonly open: number;
  readonly encrypt: Uint8Array<ArrayBuffer>;
  readonly decrypt: string;
  readonly paper: string;
  readonly openPaper: string;
  readonly close: undefined;
}
