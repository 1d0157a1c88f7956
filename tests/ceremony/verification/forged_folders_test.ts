/** `tonado ceremony verify` refuses every forged folder with the name of its fault, and exits with 1. */
import assert from "node:assert/strict";
import { blake2b } from "@noble/hashes/blake2.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { circuitNames } from "../../../src/core/crypto/groth16.ts";
import { BASE_FIELD_MODULUS } from "../../../src/core/crypto/proof_codec.ts";
import { type ArithmeticPool, openArithmeticPool } from "../../../src/ops/ceremony/arithmetic/pool.ts";
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
import { transcriptFaults } from "../../../src/ops/ceremony/faults.ts";
import { rehearseCeremony } from "../../../src/ops/ceremony/rehearsal/rehearsal.ts";
import { memoryFolder } from "../../../src/ops/ceremony/rehearsal/memory_folder.ts";
import { concatBytes } from "@noble/hashes/utils.js";
import { makeKeyEntry } from "../../../src/ops/ceremony/transcript/entries.ts";
import {
  type BeaconEntry,
  type Contribution,
  keyEntries,
  type Transcript,
} from "../../../src/ops/ceremony/transcript/transcript.ts";
import { type KeyContribution, serializeZkey, type Zkey } from "../../../src/ops/ceremony/zkey.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import {
  copyFolder,
  encodeOffSubgroupG1,
  folderTranscript,
  type MemoryFolder,
  multiplyG1,
  rewriteTranscript,
  tamperTranscript,
} from "../../support/ceremony/ceremony_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";

type Entries = Transcript["entries"];
type DepositKeys = Contribution["keys"]["deposit"];

const EXPONENT = 10;

/** Makes a valid proof of knowledge of `x`, after a history. Honest contributors do not choose x. */
async function proofFor(
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
function withProofs(entries: Entries, proofs: readonly KeyContribution[]): void {
  for (const [i, { delta, s, sx, answer, challenge }] of proofs.entries()) {
    const keys = keyEntries({ entries } as Transcript)[i].keys.deposit;
    keys.delta.g1 = pointToHex(delta);
    keys.proof = { s: pointToHex(s), sx: pointToHex(sx), answer: pointToHex(answer) };
    keys.challenge = bytesToHex(challenge);
    keys.contributionHash = String(i).padStart(128, "0");
  }
}

Deno.test("tonado ceremony verify names the fault of every forged folder", (t) =>
  withTempDirectory(async (directory) => {
    const arithmetic = openArithmeticPool(2);
    try {
      const honest = memoryFolder();
      const rounds: MemoryFolder[] = [];
      const { plan, powers, r1cs } = await rehearseCeremony({
        folder: honest,
        keysFolder: memoryFolder(),
        arithmetic,
        programPins: { withdraw: "00".repeat(32), deposit: "00".repeat(32) },
        onStep: ({ name }) => name === "contribute" && void rounds.push(copyFolder(honest)),
      });
      const transcript = folderTranscript(honest);
      const circuitHash = hexToBytes(transcript.circuits.deposit.circuitHash);
      const published = (keyEntries(transcript)[3] as BeaconEntry).value;

      const planFile = `${directory}/plan.json`;
      await Deno.writeTextFile(planFile, JSON.stringify(plan));
      await Deno.writeFile(`${directory}/powers.ptau`, new Uint8Array(powers));
      await Deno.writeFile(`${directory}/other.ptau`, new Uint8Array(powers.with(-1, powers.at(-1)! ^ 1)));
      await Deno.mkdir(`${directory}/circuits`);
      await Deno.mkdir(`${directory}/swapped`);
      for (const circuit of circuitNames) {
        await Deno.writeFile(`${directory}/circuits/${circuit}.r1cs`, new Uint8Array(r1cs[circuit]));
        await Deno.writeFile(`${directory}/swapped/${circuit}.r1cs`, new Uint8Array(r1cs.withdraw));
      }
      const kept = tamperTranscript(rounds[0], ({ entries }) => (entries[1] as Contribution).name = "Eve");
      await Deno.writeFile(`${directory}/kept.json`, kept.files.get(TRANSCRIPT_FILE)!);

      const rewritten = (change: (entries: Entries) => unknown) =>
        rewriteTranscript(copyFolder(honest), ({ entries }) => void change(entries));
      /** Changes what the transcript says of the second contribution to the deposit key. */
      const withKeys = (change: (keys: DepositKeys, all: Entries) => void) =>
        rewritten((entries) => change(keyEntries({ entries } as Transcript)[1].keys.deposit, entries));
      const deposits = (entries: Entries) =>
        keyEntries({ entries } as Transcript).map(({ keys }) => keys.deposit);
      /** Replaces the final deposit key, and its hash in the transcript. */
      const withKey = async (change: (key: Zkey) => Partial<Zkey>) => {
        const { current } = requireKeys(await loadCeremony(honest));
        const file = serializeZkey({ ...current.deposit, ...change(current.deposit) });
        const folder = rewritten((entries) => deposits(entries)[3].zkey = bytesToHex(sha256(file)));
        folder.files.set(keyFileName("deposit", 4), file);
        return folder;
      };
      /** Closes the ceremony with one value for each circuit, as an attacker's program would. */
      const withBeacons = async (bytes: Record<"withdraw" | "deposit", number>) => {
        const folder = copyFolder(rounds[2]);
        const ceremony = await loadCeremony(folder);
        const next = { ...requireKeys(ceremony).current };
        for (const circuit of circuitNames) {
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
      };

      const rows: [
        what: string,
        forge: () => MemoryFolder | Promise<MemoryFolder>,
        refusal: string,
        args?: string[],
      ][] = [
        // The order of the entries. They are: announcement, three contributions, beacon.
        [
          "a contribution played again",
          () => rewritten((all) => all.splice(3, 0, structuredClone(all[2]))),
          "transcript: entry_repeated",
        ],
        [
          "two contributions exchanged",
          () => rewritten((all) => all.splice(2, 2, all[3], all[2])),
          "transcript: challenge_mismatch",
        ],
        [
          "a contribution left out",
          () => rewritten((all) => all.splice(2, 1)),
          "transcript: challenge_mismatch",
        ],
        [
          "two entries exchanged, with their hashes",
          () => tamperTranscript(honest, ({ entries: all }) => all.splice(2, 2, all[3], all[2])),
          "transcript: entry_out_of_order",
        ],
        [
          "another preceding entry",
          () => tamperTranscript(honest, ({ entries }) => entries[2].previous = "00".repeat(32)),
          "transcript: entry_out_of_order",
        ],
        [
          "another contributor's name",
          () => tamperTranscript(honest, ({ entries }) => (entries[2] as Contribution).name = "Mallory"),
          "transcript: entry_altered",
        ],
        [
          "a beacon before the last contribution",
          () => rewritten((all) => all.splice(3, 0, all.pop()!)),
          "transcript: beacon_not_last",
        ],
        [
          "a beacon before all contributions",
          () => rewritten((all) => all.splice(1, 0, all.pop()!)),
          "transcript: beacon_not_last",
        ],
        [
          "two beacons",
          () => rewritten((all) => all.push(structuredClone(all[4]))),
          "transcript: beacon_not_last",
        ],
        [
          "an announcement after the beacon",
          () => rewritten((all) => all.push(structuredClone(all[0]))),
          "transcript: beacon_not_last",
        ],
        [
          "a beacon alone",
          () => rewritten((all) => all.splice(1, 3)),
          "transcript: beacon_without_contribution",
        ],
        [
          "a beacon announced after the last contribution",
          () => rewritten((all) => all.splice(3, 0, all.shift()!)),
          "transcript: beacon_not_announced",
        ],
        [
          "a beacon that was never announced",
          () => rewritten((all) => all.shift()),
          "transcript: beacon_not_announced",
        ],
        // Signatures.
        [
          "a signature of another contribution",
          () => rewritten((all) => (all[3] as Contribution).signature = (all[2] as Contribution).signature),
          "transcript: signature_invalid",
        ],
        [
          "a signature under another named key",
          () =>
            rewritten((all) =>
              (all[3] as Contribution).signature!.publicKey = plan.contributors[1].publicKey
            ),
          "transcript: signature_invalid",
        ],
        [
          "a public key that is not a point",
          () => rewritten((all) => (all[3] as Contribution).signature!.publicKey = "ff".repeat(32)),
          "transcript: signature_invalid",
        ],
        // The beacon.
        [
          "another beacon value",
          () => rewritten((all) => (all[4] as BeaconEntry).value = "11".repeat(32)),
          "transcript: beacon_value_mismatch",
        ],
        [
          "a beacon with another value for each circuit",
          () => withBeacons({ withdraw: 1, deposit: 2 }),
          "transcript: beacon_value_mismatch",
        ],
        [
          "another number of iterations",
          () => rewritten((all) => Object.assign(all[0], { exponent: 11 })),
          "transcript: beacon_value_mismatch",
        ],
        ["a beacon that was not published", () => withBeacons({ withdraw: 3, deposit: 3 }), "beacon", [
          "--beacon-value",
          published,
        ]],
        // Points and proofs.
        [
          "a coordinate of q more",
          () => withKeys((keys) => keys.delta.g1 = addQ(keys.delta.g1)),
          "transcript: coordinate_not_canonical",
        ],
        [
          "a point outside the subgroup",
          () => withKeys((keys) => keys.proof.sx = pointToHex(encodeOffSubgroupG1())),
          "transcript: point_outside_group",
        ],
        [
          "a proof of the other circuit",
          () => rewritten((all) => deposits(all)[1].proof = keyEntries(transcript)[1].keys.withdraw.proof),
          "transcript: challenge_mismatch",
        ],
        [
          "an answer of another contribution",
          () => withKeys((keys, all) => keys.proof.answer = deposits(all)[0].proof.answer),
          "transcript: secret_not_proven",
        ],
        [
          "a delta that its maker chose",
          () => withKeys((keys) => keys.delta.g1 = pointToHex(multiplyG1(1234n))),
          "transcript: delta_not_proven",
        ],
        [
          "a delta in G2 of another contribution",
          () => withKeys((keys, all) => keys.delta.g2 = deposits(all)[0].delta.g2),
          "transcript: delta_differs_between_groups",
        ],
        [
          "another contribution hash",
          () => withKeys((keys, all) => (unsign(all), keys.contributionHash = "00".repeat(64))),
          "transcript: contribution_hash_mismatch",
        ],
        ["a secret of 1", async () => {
          const proof = await proofFor(1n, { circuitHash, contributions: [] }, multiplyG1(1n), arithmetic);
          return rewritten((all) => (unsign(all), withProofs(all, [proof])));
        }, "transcript: delta_unchanged"],
        ["a secret that undoes the one before", async () => {
          const first = await proofFor(7n, { circuitHash, contributions: [] }, multiplyG1(7n), arithmetic);
          const inverse = bls12_381.fields.Fr.inv(7n);
          const second = await proofFor(
            inverse,
            { circuitHash, contributions: [first] },
            multiplyG1(1n),
            arithmetic,
          );
          return rewritten((all) => {
            unsign(all);
            withProofs(all, [first, second]);
          });
        }, "transcript: delta_reset"],
        // Members and files.
        [
          "2^9 iterations",
          () => rewritten((all) => Object.assign(all[0], { exponent: 9 })),
          "malformed: /entries/0/exponent",
        ],
        [
          "2^31 iterations",
          () => rewritten((all) => Object.assign(all[0], { exponent: 31 })),
          "malformed: /entries/0/exponent",
        ],
        [
          "a key of another file",
          () => withoutChange(honest, (files) => files.set("deposit.4.zkey", files.get("deposit.0.zkey")!)),
          "files",
        ],
        ["a missing key", () => withoutChange(honest, (files) => files.delete("withdraw.0.zkey")), "files"],
        ["another alpha", () => withKey(({ beta1 }) => ({ alpha1: beta1 })), "deposit: key"],
        [
          "another gamma, equal to delta",
          () => withKey(({ delta2 }) => ({ gamma2: delta2 })),
          "deposit: key, deposit: delta",
        ],
        ["a key without its contributions", () => withKey(() => ({ contributions: [] })), "deposit: key"],
        // Evidence.
        ["other powers of tau", () => honest, "powers of tau, withdraw: initial key, deposit: initial key", [
          "--powers",
          `${directory}/other.ptau`,
          "--circuits",
          `${directory}/circuits`,
        ]],
        ["another constraint system", () => honest, "deposit: initial key", [
          "--powers",
          `${directory}/powers.ptau`,
          "--circuits",
          `${directory}/swapped`,
        ]],
        ["a transcript that does not contain the kept one", () => honest, "earlier transcript", [
          "--since",
          `${directory}/kept.json`,
        ]],
      ];
      const seen = new Set<string>();
      for (const [i, [what, forge, refusal, args = []]] of rows.entries()) {
        await t.step(what, async () => {
          const folder = `${directory}/${i}`;
          await Deno.mkdir(folder);
          for (const [name, content] of (await forge()).files) {
            await Deno.writeFile(`${folder}/${name}`, content);
          }
          const { code, stdout, stderr } = await runCli([
            ...["ceremony", "verify", folder, "--json", "--plan", planFile, ...args],
          ]);
          assert.equal(code, 1, stdout + stderr);
          if (refusal.startsWith("malformed")) return assert.ok(stderr.includes(refusal), stderr);
          const { verified, checks } = JSON.parse(stdout);
          const failed = checks.filter(({ verdict }: { verdict: string }) => verdict === "failed");
          assert.equal(verified, false);
          const [first] = failed;
          if (first.fault) {
            seen.add(first.fault);
            assert.equal(`${first.name}: ${first.fault}`, refusal);
            assert.match(first.detail, /(announcement|contribution|beacon) \d/, "names the entry");
          } else assert.equal(failed.map(({ name }: { name: string }) => name).join(", "), refusal);
        });
      }
      await t.step("an honest folder is accepted, and every fault was seen", async () => {
        assert.deepEqual([...seen].sort(), Object.keys(transcriptFaults).sort());
        const page = await Deno.readTextFile(new URL("../../../docs/ceremony.md", import.meta.url));
        const [, table] = page.split("### Faults of a transcript");
        const documented = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, fault]) => fault);
        assert.deepEqual(documented, Object.keys(transcriptFaults));
        const folder = `${directory}/honest`;
        await Deno.mkdir(folder);
        for (const [name, content] of honest.files) await Deno.writeFile(`${folder}/${name}`, content);
        const args = ["ceremony", "verify", folder, "--plan", planFile, "--beacon-value", published];
        const { code, stdout } = await runCli(args);
        assert.deepEqual([code, stdout.match(/FAILED|note/g)], [0, null], stdout);
        await Deno.writeFile(
          `${folder}/transcript.json`,
          rewritten((all) => all.splice(2, 1)).files.get("transcript.json")!,
        );
        assert.match(
          (await runCli(args)).stdout,
          /FAILED transcript .* contribution 2 .*\[challenge_mismatch\]\n/,
        );
      });
    } finally {
      arithmetic.close();
    }
  }));

function addQ(point: string): string {
  const x = BigInt(`0x${point.slice(0, 96)}`) + BASE_FIELD_MODULUS;
  return x.toString(16).padStart(96, "0") + point.slice(96);
}

/** Removes the signatures, which would be refused first. */
function unsign(entries: Entries): void {
  for (const entry of entries) if (entry.kind === "contribution") delete entry.signature;
}

function withoutChange(folder: MemoryFolder, change: (files: MemoryFolder["files"]) => void): MemoryFolder {
  const copy = copyFolder(folder);
  change(copy.files);
  return copy;
}
