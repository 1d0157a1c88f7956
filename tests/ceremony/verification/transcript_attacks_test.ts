/** Every corrupted, reordered or repeated entry of a transcript is refused by name, although the hash chain is recomputed. */
import assert from "node:assert/strict";
import { BASE_FIELD_MODULUS } from "../../../src/core/crypto/proof_codec.ts";
import { beaconSeed, contribute } from "../../../src/ops/ceremony/contribution.ts";
import { loadCeremony, requireKeys, writeContribution } from "../../../src/ops/ceremony/ceremony_folder.ts";
import { circuitsOfVersion } from "../../../src/core/crypto/groth16.ts";
import { makeAnnouncement, makeKeyEntry } from "../../../src/ops/ceremony/transcript/entries.ts";
import { keyEntries, type Transcript } from "../../../src/ops/ceremony/transcript/transcript.ts";
import { createSigningKey, openSigningKey } from "../../../src/ops/ceremony/transcript/signature.ts";
import {
  alter,
  announcement,
  beacon,
  copyFolder,
  folderTranscript,
  type MemoryFolder,
  openTinyCeremony,
  rewriteTranscript,
  runCeremony,
  valuePaths,
} from "../../support/ceremony/ceremony_fixture.ts";

type Entries = Transcript["entries"];

/**
 * Entries whose change the transcript alone does not reveal without signatures. The files reveal a false hash
 * of the last keys.
 */
const hashesOfKeys = circuitsOfVersion[1].map((circuit) => `keys.${circuit}.zkey`);
const unprotected = {
  announcement: ["source", "round"],
  contribution: ["name", ...hashesOfKeys],
  beacon: hashesOfKeys,
};

/** Adds a beacon without any check, as an attacker can. */
async function forceBeacon(
  folder: MemoryFolder,
  byte: number,
  { arithmetic }: Awaited<ReturnType<typeof openTinyCeremony>>,
): Promise<void> {
  const ceremony = await loadCeremony(folder);
  const { current } = requireKeys(ceremony);
  const { transcript } = ceremony;
  const forced = { value: new Uint8Array(32).fill(byte), exponent: announcement.exponent };
  const seed = await beaconSeed(forced, arithmetic);
  const next = { ...current };
  for (const circuit of circuitsOfVersion[1]) {
    const by = { name: "beacon", beacon: forced };
    next[circuit] = await contribute(current[circuit], seed.slice(), by, arithmetic);
  }
  await writeContribution(folder, next, async (written) => ({
    ...transcript,
    entries: [...transcript.entries, await makeKeyEntry(transcript, written, arithmetic)],
  }));
}

/** Plays a ceremony on tiny circuits. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const tiny = stack.use(await openTinyCeremony());
  const { honest, atRound, verify } = await runCeremony(tiny);
  const refused = async (what: string, folder: MemoryFolder, message: RegExp) => {
    const [{ verdict, detail }] = await verify(folder, {});
    assert.equal(verdict, "failed", what);
    assert.match(detail, message, what);
  };
  const rewritten = (change: (entries: Entries) => void) =>
    rewriteTranscript(copyFolder(honest), ({ entries }) => change(entries));
  const named = /(announcement|contribution|beacon) \d/;
  const open = stack.move();
  return {
    atRound,
    tiny,
    refused,
    honest,
    rewritten,
    named,
    verify,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("verification of a transcript refuses false entries by name", async (t) => {
  await using scene = await openScene();
  await refusesBeacons(t, scene);
  await refusesAlteredEntries(t, scene);
  await refusesFalseValues(t, scene);
});

async function refusesBeacons(t: Deno.TestContext, { atRound, tiny, refused, honest }: Scene): Promise<void> {
  await t.step("two beacons and no contribution", async () => {
    const folder = copyFolder(atRound[0]);
    await forceBeacon(folder, 1, tiny);
    await refused("one beacon", folder, /beacon 1 follows no contribution: the secret of a beacon is public/);
    await forceBeacon(folder, 2, tiny);
    await refused("two beacons", folder, /beacon 1 is followed by another entry/);
  });

  await t.step("a beacon after a beacon, although people contributed", async () => {
    const folder = copyFolder(honest);
    await forceBeacon(folder, 9, tiny);
    await refused("second beacon", folder, /beacon 3 is followed by another entry/);
  });

  await t.step("a beacon that was announced after the last contribution", async () => {
    const folder = copyFolder(atRound[2]);
    rewriteTranscript(folder, (transcript) => {
      transcript.entries.push(makeAnnouncement(transcript, { ...announcement, round: 8 }));
    });
    await forceBeacon(folder, 3, tiny);
    await refused("late", folder, /beacon 3 was not announced before the last contribution/);
  });
}

async function refusesAlteredEntries(
  t: Deno.TestContext,
  { honest, refused, rewritten, named, verify }: Scene,
): Promise<void> {
  const count = folderTranscript(honest).entries.length;
  for (let i = 0; i < count; i++) {
    await t.step(`entry ${i + 1} repeated, moved or left out`, async () => {
      for (let at = 0; at <= count; at++) {
        const entry = structuredClone(folderTranscript(honest).entries[i]);
        const isAnnouncement = entry.kind === "announcement";
        await refused(`${i} again at ${at}`, rewritten((entries) => entries.splice(at, 0, entry)), named);
        if (at >= count || at === i) continue;
        const moved = rewritten((entries) => entries.splice(at, 0, ...entries.splice(i, 1)));
        // An announcement may move if a contribution follows it, because nothing depends on its position.
        const harmless = isAnnouncement && at < 2 || i === 1 && at === 0;
        if (!harmless) await refused(`${i} to ${at}`, moved, named);
      }
      // Without its last entry, a transcript is an earlier state of the ceremony; --since detects that.
      if (i < count - 1) await refused(`${i} left out`, rewritten((entries) => entries.splice(i, 1)), named);
    });

    await t.step(`each value of entry ${i + 1} altered`, async () => {
      const accepted: string[] = [];
      for (const path of valuePaths(folderTranscript(honest).entries[i])) {
        const [{ verdict, detail }] = await verify(rewritten((entries) => alter(entries[i], path)), {});
        if (verdict === "failed") assert.match(detail, named, path);
        else accepted.push(path);
      }
      assert.deepEqual(accepted, unprotected[folderTranscript(honest).entries[i].kind]);
    });
  }
}

async function refusesFalseValues(
  t: Deno.TestContext,
  { rewritten, refused, verify, honest }: Scene,
): Promise<void> {
  await t.step("a coordinate that is not below q", async () => {
    const folder = rewritten((entries) => {
      const { delta } = keyEntries({ entries } as Transcript)[1].keys.deposit;
      const x = BigInt(`0x${delta.g1.slice(0, 96)}`) + BASE_FIELD_MODULUS;
      delta.g1 = x.toString(16).padStart(96, "0") + delta.g1.slice(96);
    });
    await refused("x + q", folder, /deposit: contribution 2 has a coordinate that is not below q/);
  });

  await t.step("a beacon's value other than the published one", async () => {
    const checks = await verify(honest, { beaconValue: new Uint8Array(32).fill(8) });
    assert.match(checks.find(({ name }) => name === "beacon")!.detail, /another value than was published/);
    const [, { verdict }] = await verify(honest, { beaconValue: beacon.value });
    assert.equal(verdict, "ok");
  });
}

Deno.test("a signature protects the signed entry and all entries before it", async () => {
  await using tiny = await openTinyCeremony();
  const { honest, verify } = await runCeremony(tiny, await openSigningKey((await createSigningKey()).pem));
  const { entries } = folderTranscript(honest);
  for (const [i, entry] of entries.slice(0, -1).entries()) {
    for (const path of valuePaths(entry)) {
      const folder = rewriteTranscript(copyFolder(honest), (changed) => alter(changed.entries[i], path));
      const [{ verdict }] = await verify(folder, {});
      assert.equal(verdict, "failed", `${entry.kind}: ${path}`);
    }
  }
  const [{ verdict, detail }] = await verify(
    rewriteTranscript(copyFolder(honest), (changed) => changed.powers.sha256 = "00".repeat(32)),
    {},
  );
  assert.equal(verdict, "failed");
  assert.match(detail, /contribution 1 has a signature that does not verify/);
});
