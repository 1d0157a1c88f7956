/** What the pool asks of a worker, and what the worker answers. Declarations only: both sides import them. */
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

/**
 * Work for one worker. Files come along with each task, shared rather than copied, so that a new worker needs no other
 * message first; each worker parses each key that it proves with, once.
 */
export type WorkerTask =
  | { readonly kind: "witness"; readonly program: ArrayBufferLike; readonly inputs: WitnessInputs }
  | {
    readonly kind: "piece";
    readonly circuit: CircuitName;
    readonly zkey: ArrayBufferLike;
    readonly witness: Uint8Array;
    readonly share: PieceShare;
  }
  | {
    readonly kind: "assemble";
    readonly circuit: CircuitName;
    readonly zkey: ArrayBufferLike;
    readonly pieces: Pieces;
  }
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
  /** A point. */
  piece: Uint8Array;
  assemble: Uint8Array;
  verify: boolean;
}
