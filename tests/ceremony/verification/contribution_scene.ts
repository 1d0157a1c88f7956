/** A ceremony on tiny circuits, with functions that alter its last keys and its second contribution. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { keyFileName } from "../../../src/ops/ceremony/ceremony_folder.ts";
import { keyEntries, type KeyEntry } from "../../../src/ops/ceremony/transcript/transcript.ts";
import { serializeZkey, type Zkey } from "../../../src/ops/ceremony/zkey.ts";
import {
  BEACON_ROUND,
  copyFolder,
  type MemoryFolder,
  openTinyCeremony,
  rewriteTranscript,
  runCeremony,
} from "../../support/ceremony/ceremony_fixture.ts";

/** Plays a ceremony on tiny circuits. */
export async function openScene() {
  await using stack = new AsyncDisposableStack();
  const tiny = stack.use(await openTinyCeremony());
  const { arithmetic, ptau, r1cs, origin } = tiny;
  const { honest, atRound, verify, keyOf } = await runCeremony(tiny);

  /** Changes the deposit key of the last round, and the transcript with it so that the files' hashes fit. */
  const withKey = async (change: (key: Zkey) => Zkey | Promise<Zkey>): Promise<MemoryFolder> => {
    const folder = copyFolder(honest);
    const file = serializeZkey(await change(await keyOf(folder, "deposit", BEACON_ROUND)));
    folder.files.set(keyFileName("deposit", BEACON_ROUND), file);
    return rewriteTranscript(folder, (transcript) => {
      keyEntries(transcript)[BEACON_ROUND - 1].keys.deposit.zkey = bytesToHex(sha256(file));
    });
  };
  /** Changes the transcript's entry of the second contribution to the deposit key. */
  const withEntry = (change: (keys: KeyEntry["keys"]["deposit"]) => void) =>
    rewriteTranscript(copyFolder(honest), (transcript) => change(keyEntries(transcript)[1].keys.deposit));
  const at = (list: readonly Zkey["contributions"][0][], i: number) => list[i];
  const open = stack.move();
  return {
    withEntry,
    honest,
    atRound,
    arithmetic,
    withKey,
    at,
    origin,
    ptau,
    r1cs,
    verify,
    keyOf,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;
