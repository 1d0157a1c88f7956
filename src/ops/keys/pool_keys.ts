/** The hash beside the code only names the keys, so this searches the code for the keys' points. */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import type { Cell } from "@ton/core";
import type { PoolVersion } from "../../core/protocol/deployments.ts";
import { Problem } from "../../core/errors/problem.ts";
import { type AnyCircuitName, circuitsOfVersion, combinedVkeyHash } from "../../core/crypto/groth16.ts";
import { compressG1, compressG2 } from "../../core/crypto/proof_codec.ts";
import { type Artifacts, DEVELOPMENT_LABEL, openArtifacts } from "../../prover/artifacts.ts";
import { loadPoolCode, type PoolCode } from "../../ton/pool/state_init.ts";
import { uniqueCells } from "../../ton/account_storage.ts";
import { WEAK_LABEL } from "../ceremony/ceremony_plan.ts";
import { assertSoundKey } from "./sound_key.ts";
import type { VerificationKey } from "./verifier_source.ts";

export interface PoolKeys {
  readonly label: string;
  /** Not made by a ceremony: their makers can forge proofs. */
  readonly development: boolean;
  /** The ceremony had fewer contributors than mainnet requires. */
  readonly weak: boolean;
}

const POINT_BITS: readonly number[] = [384, 768]; // of compressed points
const SIGN_BIT = 0x20; // in the first byte of a compressed point

/** Throws `artifact_corrupted` where the artifacts, their pins and the compiled code differ. */
export async function checkPoolKeys(
  artifacts: Artifacts = openArtifacts(),
  pool: PoolCode = loadPoolCode(),
): Promise<PoolKeys> {
  const { code, codeHash, vkeyHash, version } = pool;
  if (code.hash().toString("hex") !== codeHash) {
    throw new Problem(
      "artifact_corrupted",
      "the pool's code does not have the hash recorded beside it",
    );
  }
  if (pinnedVkeyHash(artifacts, version) !== vkeyHash) {
    throw new Problem(
      "artifact_corrupted",
      "the pool's code was compiled for other verification keys than the pinned ones",
    );
  }
  const constants = pointConstants(code);
  const allowed = new Set<string>();
  for (const name of circuitsOfVersion[version]) {
    const key = JSON.parse(new TextDecoder().decode(await artifacts.load(`${name}.vkey.json`)));
    assertSoundKey(`${name}.vkey.json`, key);
    for (const point of keyPointBits(key)) {
      allowed.add(point);
      if (constants.has(point)) continue;
      throw new Problem(
        "artifact_corrupted",
        `the pool's code does not hold the verification key of ${name}`,
      );
    }
  }
  if ([...constants].some((bits) => !allowed.has(bits) && isPoint(bits))) {
    throw new Problem("artifact_corrupted", "the pool's code holds points of another verification key");
  }
  const label = version === 2 ? artifacts.version2Label : artifacts.label;
  if (label === undefined) throw new Problem("artifact_corrupted", "pins.json has no keys of version 2");
  return { label, development: label === DEVELOPMENT_LABEL, weak: label.startsWith(`${WEAK_LABEL} `) };
}

function pinnedVkeyHash(artifacts: Artifacts, version: PoolVersion): string {
  const hashOf = (name: AnyCircuitName) => artifacts.expectedSha256(`${name}.vkey.json`);
  return version === 2
    ? combinedVkeyHash({ withdraw2: hashOf("withdraw2"), settle16: hashOf("settle16") })
    : combinedVkeyHash({ withdraw: hashOf("withdraw"), deposit: hashOf("deposit") });
}

/** Points as in the code, which negates three kinds (see `verifier_source.ts`). */
function keyPointBits(key: VerificationKey): string[] {
  const negated = [compressG1(key.vk_alpha_1), compressG2(key.vk_delta_2), ...key.IC.map(compressG1)];
  for (const point of negated) point[0] ^= SIGN_BIT;
  return [...negated, compressG2(key.vk_beta_2), compressG2(key.vk_gamma_2)].map((point) =>
    Array.from(point, (byte) => byte.toString(2).padStart(8, "0")).join("")
  );
}

/** The compiler writes constants as PUSHSLICE (8D, no references, length, bits, completion tag) or cells. */
function pointConstants(code: Cell): Set<string> {
  const found = new Set<string>();
  for (const cell of uniqueCells([code])) {
    const bits = bitString(cell);
    if (cell.refs.length === 0 && POINT_BITS.includes(bits.length)) found.add(bits);
    for (const size of POINT_BITS) {
      const pattern = new RegExp(
        `(?=10001101000${(size / 8).toString(2).padStart(7, "0")}([01]{${size}})100000)`,
        "g",
      );
      for (const [, constant] of bits.matchAll(pattern)) found.add(constant);
    }
  }
  return found;
}

/** Other data of that size is a point of order r by chance once in 2^126. */
function isPoint(bits: string): boolean {
  const bytes = Uint8Array.from(
    { length: bits.length / 8 },
    (_, i) => parseInt(bits.slice(8 * i, 8 * i + 8), 2),
  );
  try {
    if (bits.length === POINT_BITS[0]) bls12_381.G1.Point.fromBytes(bytes).assertValidity();
    else bls12_381.G2.Point.fromBytes(bytes).assertValidity();
    return true;
  } catch {
    return false;
  }
}

function bitString({ bits }: Cell): string {
  return Array.from({ length: bits.length }, (_, i) => bits.at(i) ? "1" : "0").join("");
}
