/** What the pool asks of a worker, and what the worker answers. Both sides import it. */
import type { CircuitName } from "../core/groth16.ts";
import type { WitnessInputs } from "./witness.ts";

/** The sums that a proof is made of; see `prover-wasm/src/prove.rs`. */
export type PieceName = "a" | "b1" | "b2" | "c" | "h";

/** Part `part` of `parts` of a piece's terms. */
export interface PieceShare {
  readonly piece: PieceName;
  readonly part: number;
  readonly parts: number;
}

/** Pieces as uncompressed points, of each its parts one after another. Unblinded: they tell about the witness, and stay in this process. */
export type Pieces = Readonly<Record<PieceName, Uint8Array>>;

/** What {@linkcode KeyExcerpts} has an excerpt for: each sum, and `joint`, which joins them. */
export const excerptNames = ["a", "b1", "b2", "c", "h", "joint"] as const;

/** A proving key, parsed: of it what each sum takes, and what joins them; see `prover-wasm/src/excerpt.rs`. */
export type KeyExcerpts<Bytes = ArrayBufferLike> = Readonly<Record<typeof excerptNames[number], Bytes>>;

/**
 * Work for one worker. What it takes comes along with each task, shared rather than copied, so that a new worker needs no
 * other message first, and a key is parsed once for all of them.
 */
export type WorkerTask =
  | { readonly kind: "witness"; readonly program: ArrayBufferLike; readonly inputs: WitnessInputs }
  | { readonly kind: "parse"; readonly zkey: Uint8Array }
  | {
    readonly kind: "piece";
    readonly excerpt: ArrayBufferLike;
    readonly witness: Uint8Array;
    readonly share: PieceShare;
  }
  | { readonly kind: "assemble"; readonly excerpt: ArrayBufferLike; readonly pieces: Pieces }
  | {
    readonly kind: "verify";
    readonly circuit: CircuitName;
    readonly vkey: Uint8Array;
    readonly proof: Uint8Array;
    readonly signals: Uint8Array;
  };

/** What each kind of task returns. */
export interface TaskResults {
  witness: Uint8Array<ArrayBuffer>;
  parse: KeyExcerpts<Uint8Array>;
  /** A point. */
  piece: Uint8Array;
  assemble: Uint8Array;
  verify: boolean;
}

/** The arrays of a result. */
export function arraysOf(result: TaskResults[keyof TaskResults]): readonly Uint8Array[] {
  if (typeof result === "boolean") return [];
  return result instanceof Uint8Array ? [result] : Object.values(result);
}
