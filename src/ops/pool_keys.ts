/**
 * Whether the pool's code holds the verification keys that this build pins. The hash beside the code is only a note of
 * what it was compiled from; this looks for the keys' points in the code itself.
 */
import type { Cell } from "@ton/core";
import { Problem } from "../core/errors.ts";
import { type CircuitName, circuits, combinedVkeyHash } from "../core/groth16.ts";
import { compressG1, compressG2 } from "../core/proof_codec.ts";
import { type Artifacts, DEVELOPMENT_LABEL, openArtifacts } from "../prover/artifacts.ts";
import { loadPoolCode, type PoolCode } from "../ton/pool_state.ts";
import { uniqueCells } from "./cells.ts";

/** The keys of this build's pools. */
export interface PoolKeys {
  /** What kind of keys they are, to be shown. */
  readonly label: string;
  /** Whoever made these can forge proofs. */
  readonly development: boolean;
}

/** The members of a verification key that a verifier holds; points as snarkjs writes them. */
interface VerificationKey {
  readonly vk_alpha_1: readonly string[];
  readonly vk_beta_2: readonly (readonly string[])[];
  readonly vk_gamma_2: readonly (readonly string[])[];
  readonly vk_delta_2: readonly (readonly string[])[];
  readonly IC: readonly (readonly string[])[];
}

/** The sign of a compressed point, in its first byte. */
const SIGN = 0x20;

/**
 * Compares artifacts, their pins and the compiled code.
 *
 * @throws {Problem} `artifact_corrupted` naming what does not fit
 */
export async function checkPoolKeys(
  artifacts: Artifacts = openArtifacts(),
  pool: PoolCode = loadPoolCode(),
): Promise<PoolKeys> {
  const { code, codeHash, vkeyHash } = pool;
  if (code.hash().toString("hex") !== codeHash) {
    throw new Problem(
      "artifact_corrupted",
      "the pool's code does not have the hash that is written beside it",
    );
  }
  const hashOf = (name: CircuitName) => artifacts.pin(`${name}.vkey.json`);
  if (combinedVkeyHash({ withdraw: hashOf("withdraw"), deposit: hashOf("deposit") }) !== vkeyHash) {
    throw new Problem(
      "artifact_corrupted",
      "the pool's code was compiled for other verification keys than are pinned",
    );
  }
  const bits = uniqueCells([code]).map(bitsOf);
  for (const name of circuits) {
    const key = JSON.parse(new TextDecoder().decode(await artifacts.load(`${name}.vkey.json`)));
    if (!points(key).every((point) => bits.some((cell) => cell.includes(point)))) {
      throw new Problem(
        "artifact_corrupted",
        `the pool's code does not hold the verification key of ${name}`,
      );
    }
  }
  return { label: artifacts.label, development: artifacts.label === DEVELOPMENT_LABEL };
}

/** Every point as it stands in the code; three kinds are negated there, so that the verifier need not do it. */
function points(key: VerificationKey): string[] {
  const negated = [compressG1(key.vk_alpha_1), compressG2(key.vk_delta_2), ...key.IC.map(compressG1)];
  for (const point of negated) point[0] ^= SIGN;
  return [...negated, compressG2(key.vk_beta_2), compressG2(key.vk_gamma_2)].map((point) =>
    Array.from(point, (byte) => byte.toString(2).padStart(8, "0")).join("")
  );
}

function bitsOf({ bits }: Cell): string {
  return Array.from({ length: bits.length }, (_, i) => bits.at(i) ? "1" : "0").join("");
}
