/** Runs a ceremony of three contributors and a beacon, and changes its files as an attacker would. */
import { blake2b } from "@noble/hashes/blake2.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { circuitsOfVersion } from "../../../src/core/crypto/groth16.ts";
import type { ArithmeticPool } from "../../../src/ops/ceremony/arithmetic/pool.ts";
import {
  pointCoordinates,
  pointFromHex,
  pointToHex,
} from "../../../src/ops/ceremony/arithmetic/point_hex.ts";
import {
  keyFileName,
  loadCeremony,
  requireKeys,
  TRANSCRIPT_FILE,
  writeContribution,
} from "../../../src/ops/ceremony/ceremony_folder.ts";
import { beaconSeed, contribute, type ContributionHistory } from "../../../src/ops/ceremony/contribution.ts";
import { memoryFolder } from "../../../src/ops/ceremony/rehearsal/memory_folder.ts";
import { rehearseCeremony } from "../../../src/ops/ceremony/rehearsal/rehearsal.ts";
import { makeKeyEntry } from "../../../src/ops/ceremony/transcript/entries.ts";
import {
  type BeaconEntry,
  type Contribution,
  keyEntries,
  type Transcript,
} from "../../../src/ops/ceremony/transcript/transcript.ts";
import { type KeyContribution, serializeZkey, type Zkey } from "../../../src/ops/ceremony/zkey.ts";
import {
  copyFolder,
  folderTranscript,
  type MemoryFolder,
  multiplyG1,
  rewriteTranscript,
  tamperTranscript,
} from "./ceremony_fixture.ts";

export type Entries = Transcript["entries"];
type DepositKeys = Contribution["keys"]["deposit"];

const EXPONENT = 10;

export type ForgedCeremony = Awaited<ReturnType<typeof openForgedCeremony>>;

/** Runs the ceremony. Writes its plan and the evidence of its verification into `directory`. */
export async function openForgedCeremony(directory: string, arithmetic: ArithmeticPool) {
  const honest = memoryFolder();
  const rounds: MemoryFolder[] = [];
  const { plan, powers, r1cs } = await rehearseCeremony({
    folder: honest,
    keysFolder: memoryFolder(),
    arithmetic,
    programPins: { withdraw: "00".repeat(32), deposit: "00".repeat(32) },
    onStep: ({ name }) => name === "contribute" && void rounds.push(copyFolder(honest)),
  });
  const planFile = `${directory}/plan.json`;
  await Deno.writeTextFile(planFile, JSON.stringify(plan));
  await Deno.writeFile(`${directory}/powers.ptau`, new Uint8Array(powers));
  await Deno.writeFile(`${directory}/other.ptau`, new Uint8Array(powers.with(-1, powers.at(-1)! ^ 1)));
  await Deno.mkdir(`${directory}/circuits`);
  await Deno.mkdir(`${directory}/swapped`);
  for (const circuit of circuitsOfVersion[1]) {
    await Deno.writeFile(`${directory}/circuits/${circuit}.r1cs`, new Uint8Array(r1cs[circuit]));
    await Deno.writeFile(`${directory}/swapped/${circuit}.r1cs`, new Uint8Array(r1cs.withdraw));
  }
  const earlier = tamperTranscript(rounds[0], ({ entries }) => (entries[1] as Contribution).name = "Eve");
  await Deno.writeFile(`${directory}/earlier.json`, earlier.files.get(TRANSCRIPT_FILE)!);

  const transcript = folderTranscript(honest);
  /** Changes the entries and their hashes. The signatures stay and may become invalid. */
  const rewriteSigned = (change: (entries: Entries) => unknown) =>
    rewriteTranscript(copyFolder(honest), ({ entries }) => void change(entries));
  /**
   * Changes the entries and their hashes, and removes the signatures, because verification would reject these
   * first.
   */
  const rewrite = (change: (entries: Entries) => unknown) =>
    rewriteSigned((entries) => {
      change(entries);
      for (const entry of entries) if (entry.kind === "contribution") delete entry.signature;
    });
  return {
    directory,
    arithmetic,
    plan,
    planFile,
    honest,
    transcript,
    published: (keyEntries(transcript)[3] as BeaconEntry).value,
    rewrite,
    rewriteSigned,
    /** Changes the second contribution to the deposit key in the transcript. */
    withKeys: (change: (keys: DepositKeys, all: Entries) => void) =>
      rewrite((entries) => change(depositKeys(entries)[1], entries)),
    /** Replaces the final deposit key, and its hash in the transcript. */
    withKey: async (change: (key: Zkey) => Partial<Zkey>) => {
      const { current } = requireKeys(await loadCeremony(honest));
      const file = serializeZkey({ ...current.deposit, ...change(current.deposit) });
      const folder = rewriteSigned((entries) => depositKeys(entries)[3].zkey = bytesToHex(sha256(file)));
      folder.files.set(keyFileName("deposit", 4), file);
      return folder;
    },
    withBeacons: (bytes: BeaconBytes) => closeWithBeacons(rounds[2], bytes, arithmetic),
  };
}

/** The byte that a circuit's beacon value repeats. */
type BeaconBytes = Readonly<Record<"withdraw" | "deposit", number>>;

/** Closes a copy of the ceremony with one value for each circuit, as an attacker's program would. */
async function closeWithBeacons(
  open: MemoryFolder,
  bytes: BeaconBytes,
  arithmetic: ArithmeticPool,
): Promise<MemoryFolder> {
  const folder = copyFolder(open);
  const ceremony = await loadCeremony(folder);
  const next = { ...requireKeys(ceremony).current };
  for (const circuit of circuitsOfVersion[1]) {
    const beacon = { value: new Uint8Array(32).fill(bytes[circuit]), exponent: EXPONENT };
    const seed = (await beaconSeed(beacon, arithmetic)).slice();
    next[circuit] = await contribute(next[circuit], seed, { name: "beacon", beacon }, arithmetic);
  }
  await writeContribution(folder, next, async (written) => ({
    ...ceremony.transcript,
    entries: [
      ...ceremony.transcript.entries,
      await makeKeyEntry(ceremony.transcript, written, arithmetic),
    ],
  }));
  return folder;
}

/** Returns the deposit key of each contribution. */
export function depositKeys(entries: Entries): DepositKeys[] {
  return keyEntries({ entries } as Transcript).map(({ keys }) => keys.deposit);
}

/** Creates a valid proof of knowledge of `x` after a history. Honest contributors do not choose `x`. */
export async function provePossession(
  x: bigint,
  { circuitHash, contributions }: ContributionHistory,
  delta: Uint8Array,
  arithmetic: ArithmeticPool,
): Promise<KeyContribution> {
  const [s, sx] = [multiplyG1(5n), multiplyG1(5n * x % bls12_381.fields.Fr.ORDER)];
  const hashed = await Promise.all(contributions.map(async (each) =>
    concatBytes(
      await arithmetic.run("hashedG1", concatBytes(each.delta, each.s, each.sx)),
      await arithmetic.run("hashedG2", each.answer),
      each.challenge,
    )
  ));
  const own = await arithmetic.run("hashedG1", concatBytes(s, sx));
  const challenge = blake2b(concatBytes(circuitHash, ...hashed, own), { dkLen: 64 });
  const answer = multiplyG2(await arithmetic.run("challenged", challenge), x);
  return { delta, s, sx, answer, challenge, name: "Mallory" };
}

function multiplyG2(point: Uint8Array, scalar: bigint): Uint8Array {
  const [x0, x1, y0, y1] = pointCoordinates(point);
  const affine = { x: { c0: x0, c1: x1 }, y: { c0: y0, c1: y1 } };
  const { x, y } = bls12_381.G2.Point.fromAffine(affine).multiply(scalar).toAffine();
  return pointFromHex([x.c1, x.c0, y.c1, y.c0].map((c) => c.toString(16).padStart(96, "0")).join(""));
}

/** Writes forged proofs over the first entries of the deposit key. */
export function writeProofs(entries: Entries, proofs: readonly KeyContribution[]): void {
  for (const [i, { delta, s, sx, answer, challenge }] of proofs.entries()) {
    const keys = depositKeys(entries)[i];
    keys.delta.g1 = pointToHex(delta);
    keys.proof = { s: pointToHex(s), sx: pointToHex(sx), answer: pointToHex(answer) };
    keys.challenge = bytesToHex(challenge);
    keys.contributionHash = String(i).padStart(128, "0");
  }
}
