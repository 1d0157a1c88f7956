import type { AnyCircuitName } from "../core/crypto/groth16.ts";
import type { CircuitInputs } from "./witness.ts";

/** The multi-scalar multiplications (sums) of a proof; see `prover-wasm/src/prove.rs`. */
export type MsmName = "a" | "b1" | "b2" | "c" | "h";

export interface MsmShare {
  readonly msm: MsmName;
  readonly part: number;
  readonly partCount: number;
}

/** Uncompressed points, parts in order. They reveal the witness and must not leave this process. */
export type MsmResults = Readonly<Record<MsmName, Uint8Array>>;

export const provingKeyPartNames = ["a", "b1", "b2", "c", "h", "joint"] as const;

/** A parsed proving key; see `prover-wasm/src/excerpt.rs`. */
export type ProvingKeyParts<Bytes = ArrayBufferLike> = Readonly<
  Record<typeof provingKeyPartNames[number], Bytes>
>;

export type ProverTask =
  | { readonly kind: "witness"; readonly program: ArrayBufferLike; readonly inputs: CircuitInputs }
  | { readonly kind: "parse_key"; readonly zkey: Uint8Array }
  | {
    readonly kind: "msm";
    readonly keyPart: ArrayBufferLike;
    readonly witness: Uint8Array;
    readonly share: MsmShare;
  }
  | { readonly kind: "assemble"; readonly keyPart: ArrayBufferLike; readonly msmResults: MsmResults }
  | {
    readonly kind: "verify";
    readonly circuit: AnyCircuitName;
    readonly vkey: Uint8Array;
    readonly proof: Uint8Array;
    readonly signals: Uint8Array;
  };

export interface ProverTaskResults {
  witness: Uint8Array<ArrayBuffer>;
  /** Each part fills its buffer, which is shared memory where possible. */
  parse_key: ProvingKeyParts<Uint8Array>;
  msm: Uint8Array;
  assemble: Uint8Array;
  verify: boolean;
}
