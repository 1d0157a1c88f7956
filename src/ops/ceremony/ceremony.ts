/**
 * Phase 2 of the trusted setup, step by step: begin, contribute, verify, close with a beacon. Each step reads a folder
 * that may come from anybody, and checks what it builds on.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { Problem } from "../../core/errors.ts";
import { type CircuitName, circuits } from "../../core/groth16.ts";
import { type Check, failed, ok, warning } from "../../core/check.ts";
import { counted } from "../../core/units.ts";
import type { Arithmetic } from "./arithmetic.ts";
import { type Beacon, beaconSeed, contribute, contributionSeeds } from "./contribution.ts";
import {
  assertNoOtherKeys,
  type Folder,
  type Keys,
  readKeys,
  readTranscript,
  TRANSCRIPT,
  writeRound,
} from "./folder.ts";
import { initialKey } from "./initial.ts";
import { checkDelta, checkInitialKey, checkKey } from "./key_checks.ts";
import { checkPowers, openPowers, type Powers } from "./powers.ts";
import { refused, type Source } from "./sections.ts";
import { MOST_CONSTRAINTS } from "./sizes.ts";
import {
  checkExtends,
  checkTranscript,
  entryFor,
  historyOf,
  newTranscript,
  type Transcript,
} from "./transcript.ts";
import type { Zkey } from "./zkey.ts";

/** What the keys are made from: phase 1's result, and the constraint systems as circom wrote them. */
export interface Origin {
  readonly powers: Source;
  readonly r1cs: Readonly<Record<CircuitName, Uint8Array>>;
}

/** What every step takes. */
export interface Step {
  readonly folder: Folder;
  readonly arithmetic: Arithmetic;
  /** Told what is done, and how much of it, 0 to 1. */
  readonly onProgress?: (what: string, fraction: number) => void;
}

const READ_BYTES = 1 << 22;
const HASHING = "hashing the powers of tau";

/**
 * Begins a ceremony: checks the powers of tau, makes both initial keys, and writes them with the transcript.
 *
 * @throws {Problem} `invalid_ceremony` for origins that are not what they must be, or a folder that has one already, or
 *   other keys; `already_running` while another run works on the folder
 */
export async function beginCeremony(step: Step & Origin): Promise<Transcript> {
  const { folder, arithmetic, r1cs } = step;
  using _ = await folder.lock();
  if (await folder.has(TRANSCRIPT)) {
    throw refused(
      "ceremony",
      "has begun in this folder already: its contributions would be lost",
      "Begin in another folder, or add to this one with `tonado ceremony contribute`.",
    );
  }
  const powers = await openPowers(step.powers);
  const constraints: Partial<Record<CircuitName, number>> = {};
  for (const circuit of circuits) {
    constraints[circuit] = (await arithmetic.run("circuit", r1cs[circuit])).constraints;
    if (constraints[circuit] > MOST_CONSTRAINTS) {
      throw refused(
        `${circuit}.r1cs`,
        `has ${
          constraints[circuit]
        } constraints, more than the ${MOST_CONSTRAINTS} that a circuit here can have`,
        "Make it from this program's circuits: `deno task circuits`.",
      );
    }
  }
  await checkPowers(powers, arithmetic, report(step, "checking the powers of tau"));
  const keys: Partial<Record<CircuitName, Zkey>> = {};
  for (const circuit of circuits) {
    keys[circuit] = await initialKey(
      r1cs[circuit],
      powers,
      arithmetic,
      report(step, `making the key of ${circuit}`),
    );
  }
  await assertNoOtherKeys(folder, keys as Keys, constraints as Record<CircuitName, number>);
  const powersHash = await hashOf(step.powers, report(step, HASHING));
  return await writeRound(folder, keys as Keys, (written) => {
    const begun = (circuit: CircuitName) => ({
      r1cs: bytesToHex(sha256(r1cs[circuit])),
      constraints: constraints[circuit]!,
      ...written[circuit],
    });
    return Promise.resolve(
      newTranscript(powers, powersHash, { withdraw: begun("withdraw"), deposit: begun("deposit") }),
    );
  });
}

/**
 * Contributes to both keys, after checking the transcript and that the keys are those it tells of.
 *
 * @param step.entropy the contributor's own; the caller overwrites it
 * @throws {Problem} `invalid_ceremony` when what is there does not verify, or a beacon has closed it;
 *   `already_running` while another run works on the folder
 */
export async function contributeTo(
  step: Step & { readonly name: string; readonly entropy: Uint8Array },
): Promise<Transcript> {
  using _ = await lockBegun(step.folder);
  const seeds = contributionSeeds(circuits, step.entropy);
  return await addRound(step, { name: step.name }, (circuit) => Promise.resolve(seeds[circuit]));
}

/**
 * Closes the ceremony with a public value that nobody could choose.
 *
 * @throws {Problem} `invalid_ceremony` as {@linkcode contributeTo}, and when nobody has contributed
 */
export async function closeWithBeacon(
  step: Step & { readonly name: string; readonly beacon: Beacon },
): Promise<Transcript> {
  using _ = await lockBegun(step.folder);
  if ((await readTranscript(step.folder)).contributions.length === 0) {
    throw refused(
      "ceremony",
      "has no contribution: a beacon's secret is known to everybody",
      "Contribute first: `tonado ceremony contribute`.",
    );
  }
  const { beacon, name } = step;
  const seed = await beaconSeed(beacon, step.arithmetic, report(step, "hashing the beacon"));
  return await addRound(step, { name, beacon }, () => Promise.resolve(seed.slice()));
}

/** The lock of a folder that has a ceremony: where there is none, no folder is made. */
async function lockBegun(folder: Folder): Promise<Disposable> {
  await readTranscript(folder);
  return await folder.lock();
}

/** In a folder that is locked: the transcript is read anew. */
async function addRound(
  step: Step,
  by: { readonly name: string; readonly beacon?: Beacon },
  seedOf: (circuit: CircuitName) => Promise<Uint8Array>,
): Promise<Transcript> {
  const { folder, arithmetic } = step;
  const transcript = await readTranscript(folder);
  if (transcript.contributions.at(-1)?.kind === "beacon") {
    throw refused(
      "ceremony",
      "is closed: its last contribution is a beacon",
      "Make its keys with `tonado ceremony finalize`.",
    );
  }
  await checkTranscript(transcript, arithmetic, report(step, "checking the transcript"));
  const initial = await readKeys(folder, transcript, 0);
  const current = await readKeys(folder, transcript, transcript.contributions.length);
  const next: Partial<Record<CircuitName, Zkey>> = {};
  for (const circuit of circuits) {
    report(step, `checking the key of ${circuit}`)(0);
    await checkKey(current[circuit], initial[circuit], historyOf(transcript, circuit), arithmetic);
    const seed = await seedOf(circuit);
    next[circuit] = await contribute(
      current[circuit],
      seed,
      by,
      arithmetic,
      report(step, `contributing to ${circuit}`),
    );
  }
  return await writeRound(folder, next as Keys, async (written) => ({
    ...transcript,
    contributions: [...transcript.contributions, await entryFor(transcript, written, arithmetic)],
  }));
}

/** What {@linkcode verifyCeremony} is given beside the folder. */
export interface Evidence {
  /** Without it the initial keys are taken as they are. */
  readonly origin?: Origin;
  /** One that was kept: the folder's must begin with it. */
  readonly earlier?: Transcript;
}

/** Verifies all of a ceremony. Every check is made, whatever the others say, as far as it can be. */
export async function verifyCeremony(step: Step & Evidence): Promise<Check[]> {
  const { folder, arithmetic, origin, earlier } = step;
  const transcript = await readTranscript(folder);
  const count = transcript.contributions.length;
  const checks = [
    await check("transcript", async () => {
      await checkTranscript(transcript, arithmetic, report(step, "checking the transcript"));
      const people = transcript.contributions.filter(({ kind }) => kind === "contribution").length;
      const closed = transcript.contributions.at(-1)?.kind === "beacon" ? "closed by a beacon" : "open";
      return `${counted(people, "contribution")}, ${closed}`;
    }),
  ];
  if (earlier) {
    checks.push(
      await check("earlier transcript", () => {
        checkExtends(transcript, earlier);
        return `what it tells is unchanged: ${counted(earlier.contributions.length, "contribution")}`;
      }),
    );
  }
  let keys: { initial: Keys; current: Keys } | undefined;
  checks.push(
    await check("files", async () => {
      keys = {
        initial: await readKeys(folder, transcript, 0),
        current: await readKeys(folder, transcript, count),
      };
      return "the keys have the hashes that the transcript says";
    }),
  );
  if (keys === undefined) return checks;

  const { initial, current } = keys;
  let powers: Powers | undefined;
  if (origin) {
    checks.push(
      await check("powers of tau", async () => {
        const opened = await openPowers(origin.powers);
        const { sha256, power } = transcript.powers;
        const other = "are another file than the ceremony began with";
        const todo = "Give the file whose SHA-256 the transcript names.";
        if (opened.power !== power) {
          throw refused("powers of tau", `${other}: 2^${opened.power} rows, not 2^${power}`, todo);
        }
        if (await hashOf(origin.powers, report(step, HASHING)) !== sha256) {
          throw refused("powers of tau", other, todo);
        }
        await checkPowers(opened, arithmetic, report(step, "checking the powers of tau"));
        powers = opened;
        return `2^${opened.power}, every point checked`;
      }),
    );
  } else {
    checks.push(
      warning(
        "initial keys",
        "not compared with the circuits and the powers of tau: give --powers and --circuits",
      ),
    );
  }
  for (const circuit of circuits) {
    if (origin) {
      checks.push(
        await check(`${circuit}: initial key`, async () => {
          if (powers === undefined) {
            throw refused("initial key", "cannot be compared with these powers of tau");
          }
          if (bytesToHex(sha256(origin.r1cs[circuit])) !== transcript.circuits[circuit].r1cs) {
            throw refused(
              "constraint system",
              "is another one than the ceremony began with",
              "Make it from the sources that the ceremony began with: `deno task circuits`.",
            );
          }
          const progress = report(step, `checking the initial key of ${circuit}`);
          await checkInitialKey(initial[circuit], origin.r1cs[circuit], powers, arithmetic, progress);
          return "follows from the circuit and the powers of tau";
        }),
      );
    }
    checks.push(
      await check(`${circuit}: key`, async () => {
        report(step, `checking the key of ${circuit}`)(0);
        if (bytesToHex(initial[circuit].circuitHash) !== transcript.circuits[circuit].circuitHash) {
          throw refused("initial key", "has another circuit hash than the transcript says");
        }
        await checkKey(current[circuit], initial[circuit], historyOf(transcript, circuit), arithmetic);
        return "the initial one over the delta of all contributions";
      }),
      await check(`${circuit}: delta`, async () => {
        await checkDelta(current[circuit], arithmetic);
        return "is not 1 and not gamma";
      }),
    );
  }
  return checks;
}

async function check(name: string, run: () => string | Promise<string>): Promise<Check> {
  try {
    return ok(name, await run());
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_ceremony") return failed(name, error.message);
    throw error;
  }
}

function report({ onProgress }: Step, what: string): (fraction: number) => void {
  return (fraction) => onProgress?.(what, fraction);
}

/** SHA-256 in hex of a whole source. */
async function hashOf(source: Source, onProgress: (fraction: number) => void): Promise<string> {
  const hash = sha256.create();
  for (let offset = 0; offset < source.size; offset += READ_BYTES) {
    onProgress(offset / source.size);
    hash.update(await source.read(offset, Math.min(READ_BYTES, source.size - offset)));
  }
  return bytesToHex(hash.digest());
}
