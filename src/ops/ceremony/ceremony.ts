/** Phase 2 of the trusted setup. Folders are not trusted: each step checks what it builds on. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type AnyCircuitName, circuitsOf, type PerCircuit } from "../../core/crypto/groth16.ts";
import type { ArithmeticPool } from "./arithmetic/pool.ts";
import { type Beacon, beaconSeed, contribute, contributionSeeds } from "./contribution.ts";
import {
  assertNoOtherKeys,
  type CeremonyFolder,
  forEachCircuit,
  loadCeremony,
  readTranscript,
  requireKeys,
  TRANSCRIPT_FILE,
  writeContribution,
} from "./ceremony_folder.ts";
import { makeInitialKey } from "./initial_key.ts";
import { checkKey } from "./key_checks.ts";
import { checkPowersOfTau, openPowersOfTau } from "./powers_of_tau.ts";
import { type ByteSource, ceremonyProblem } from "./section_file.ts";
import { MAX_CONSTRAINTS } from "./size_limits.ts";
import { checkAnnouncements, checkTranscript } from "./transcript/checks.ts";
import { BEACON_NAME, historyOf, makeAnnouncement, makeKeyEntry } from "./transcript/entries.ts";
import type { SigningKey } from "./transcript/signature.ts";
import {
  type Announcement,
  closingBeacon,
  latestAnnouncement,
  newTranscript,
  type Transcript,
  transcriptBytes,
} from "./transcript/transcript.ts";

/** The result of phase 1, and the constraint systems of one version in circom's format. */
export interface CeremonyInputs {
  readonly powers: ByteSource;
  readonly r1cs: PerCircuit<Uint8Array>;
}

export interface CeremonyStep {
  readonly folder: CeremonyFolder;
  readonly arithmetic: ArithmeticPool;
  readonly onProgress?: (stage: string, fraction: number) => void;
}

const READ_CHUNK_BYTES = 1 << 22;

/** Throws `invalid_ceremony` for invalid inputs or a folder with a ceremony; `folder_in_use`. */
export async function beginCeremony(step: CeremonyStep & CeremonyInputs): Promise<Transcript> {
  const { folder, arithmetic, r1cs } = step;
  using _folderLock = await folder.lock();
  if (await folder.has(TRANSCRIPT_FILE)) {
    throw ceremonyProblem(
      "ceremony",
      "has already begun in this folder: its contributions would be lost",
      "Begin in another folder, or contribute to this ceremony with `tonado ceremony contribute`.",
    );
  }
  const powers = await openPowersOfTau(step.powers);
  const constraints = await countConstraints(step);
  await checkPowersOfTau(powers, arithmetic, progressReporter(step, "checking the powers of tau"));
  const keys = await forEachCircuit(
    circuitsOf(r1cs),
    (circuit) =>
      makeInitialKey(
        r1cs[circuit],
        powers,
        arithmetic,
        progressReporter(step, `making the key of ${circuit}`),
      ),
  );
  await assertNoOtherKeys(folder, keys, constraints);
  const powersHash = await hashPowers(step, step.powers);
  return await writeContribution(folder, keys, (written) => {
    const begun = circuitsOf(r1cs).map((circuit) => [circuit, {
      r1cs: bytesToHex(sha256(r1cs[circuit])),
      constraints: constraints[circuit],
      ...written[circuit],
    }]);
    return Promise.resolve(newTranscript(powers, powersHash, Object.fromEntries(begun)));
  });
}

async function countConstraints(
  { arithmetic, r1cs }: CeremonyStep & CeremonyInputs,
): Promise<PerCircuit<number>> {
  return await forEachCircuit(circuitsOf(r1cs), async (circuit) => {
    const { constraints } = await arithmetic.run("circuit", r1cs[circuit]);
    if (constraints <= MAX_CONSTRAINTS) return constraints;
    throw ceremonyProblem(
      `${circuit}.r1cs`,
      `has ${constraints} constraints, more than the maximum of ${MAX_CONSTRAINTS}`,
      "Make it from this program's circuits: `deno task circuits`.",
    );
  });
}

/** A contribution must follow. Throws as {@linkcode contributeToCeremony}, and for a repeated announcement. */
export async function announceBeacon(
  step: CeremonyStep & { readonly announcement: Pick<Announcement, "source" | "round" | "exponent"> },
): Promise<Transcript> {
  using _folderLock = await lockExisting(step.folder);
  const transcript = await readTranscript(step.folder);
  await checkOpen(step, transcript);
  const extended = {
    ...transcript,
    entries: [...transcript.entries, makeAnnouncement(transcript, step.announcement)],
  };
  checkAnnouncements(extended);
  await step.folder.write(TRANSCRIPT_FILE, transcriptBytes(extended));
  return extended;
}

/** The caller overwrites `entropy`. Throws `invalid_ceremony` if closed or invalid; `folder_in_use`. */
export async function contributeToCeremony(
  step: CeremonyStep & {
    readonly name: string;
    readonly entropy: Uint8Array;
    readonly signingKey?: SigningKey;
  },
): Promise<Transcript> {
  using _folderLock = await lockExisting(step.folder);
  const { circuits } = await readTranscript(step.folder);
  const seeds = contributionSeeds(circuitsOf(circuits), step.entropy);
  try {
    return await addContribution(
      step,
      () => ({ name: step.name }),
      (circuit) => Promise.resolve(seeds[circuit]),
    );
  } finally {
    for (const seed of Object.values(seeds)) seed.fill(0);
  }
}

/** Throws as {@linkcode contributeToCeremony}, and if no contribution followed the announcement. */
export async function closeWithBeacon(
  step: CeremonyStep & { readonly value: Uint8Array },
): Promise<Transcript> {
  using _folderLock = await lockExisting(step.folder);
  const onProgress = progressReporter(step, "hashing the beacon");
  let seed: Promise<Uint8Array> | undefined;
  return await addContribution(
    step,
    (transcript) => ({ name: BEACON_NAME, beacon: announcedBeacon(transcript, step.value) }),
    async (_circuit, beacon) => {
      seed ??= beaconSeed(beacon!, step.arithmetic, onProgress);
      return (await seed).slice();
    },
  );
}

function announcedBeacon(transcript: Transcript, value: Uint8Array): Beacon {
  const announcement = latestAnnouncement(transcript);
  if (transcript.entries.every(({ kind }) => kind !== "contribution")) {
    throw ceremonyProblem(
      "ceremony",
      "has no contribution: the secret of a beacon is public",
      "Contribute first: `tonado ceremony contribute`.",
    );
  }
  if (announcement === undefined || transcript.entries.at(-1) === announcement) {
    throw ceremonyProblem(
      "ceremony",
      "has no beacon that was announced before the last contribution",
      "Announce a round in the future with `tonado ceremony announce`, and contribute once more.",
    );
  }
  return { value, exponent: announcement.exponent };
}

async function lockExisting(folder: CeremonyFolder): Promise<Disposable> {
  if (!await folder.has(TRANSCRIPT_FILE)) await readTranscript(folder); // fails with the reason
  return await folder.lock();
}

/** Throws `invalid_ceremony` if the ceremony is closed or its transcript does not verify. */
async function checkOpen({ arithmetic, onProgress }: CeremonyStep, transcript: Transcript): Promise<void> {
  if (closingBeacon(transcript)) {
    throw ceremonyProblem(
      "ceremony",
      "is closed: its last entry is a beacon",
      "Make its keys with `tonado ceremony finalize`.",
    );
  }
  await checkTranscript(transcript, arithmetic, onProgress);
}

/** Requires the lock. The folder is read once. */
async function addContribution(
  step: CeremonyStep & { readonly signingKey?: SigningKey },
  contributorFor: (transcript: Transcript) => { readonly name: string; readonly beacon?: Beacon },
  seedOf: (circuit: AnyCircuitName, beacon?: Beacon) => Promise<Uint8Array>,
): Promise<Transcript> {
  const { folder, arithmetic } = step;
  const ceremony = await loadCeremony(folder);
  const { transcript } = ceremony;
  await checkOpen(step, transcript);
  const contributor = contributorFor(transcript);
  const { initial, current } = requireKeys(ceremony);
  const next = await forEachCircuit(circuitsOf(transcript.circuits), async (circuit) => {
    progressReporter(step, `checking the key of ${circuit}`)(0);
    await checkKey(current[circuit], initial[circuit], historyOf(transcript, circuit), arithmetic);
    const seed = await seedOf(circuit, contributor.beacon);
    const onProgress = progressReporter(step, `contributing to ${circuit}`);
    return await contribute(current[circuit], seed, contributor, arithmetic, onProgress);
  });
  return await writeContribution(folder, next, async (written) => ({
    ...transcript,
    entries: [...transcript.entries, await makeKeyEntry(transcript, written, arithmetic, step.signingKey)],
  }));
}

export function progressReporter(
  { onProgress }: Pick<CeremonyStep, "onProgress">,
  stage: string,
): (fraction: number) => void {
  return (fraction) => onProgress?.(stage, fraction);
}

export async function hashPowers(
  step: Pick<CeremonyStep, "onProgress">,
  source: ByteSource,
): Promise<string> {
  const onProgress = progressReporter(step, "hashing the powers of tau");
  const hash = sha256.create();
  for (let offset = 0; offset < source.size; offset += READ_CHUNK_BYTES) {
    onProgress(offset / source.size);
    hash.update(await source.read(offset, Math.min(READ_CHUNK_BYTES, source.size - offset)));
  }
  return bytesToHex(hash.digest());
}
