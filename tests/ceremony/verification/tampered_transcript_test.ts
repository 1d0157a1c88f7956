/** Each entry of a signed transcript, repeated at, moved to or exchanged with each other place, is refused with a fault. */
import assert from "node:assert/strict";
import { createSigningKey, openSigningKey } from "../../../src/ops/ceremony/transcript/signature.ts";
import type { Transcript } from "../../../src/ops/ceremony/transcript/transcript.ts";
import {
  alter,
  copyFolder,
  folderTranscript,
  openTinyCeremony,
  rewriteTranscript,
  runCeremony,
  tamperTranscript,
  valuePaths,
} from "../../support/ceremony/ceremony_fixture.ts";

type Entries = Transcript["entries"];

const changes: Record<string, (entries: Entries, from: number, to: number) => void> = {
  repeated: (entries, from, to) => entries.splice(to, 0, structuredClone(entries[from])),
  moved: (entries, from, to) => entries.splice(to, 0, ...entries.splice(from, 1)),
  exchanged: (entries, from, to) => [entries[from], entries[to]] = [entries[to], entries[from]],
};

/** The faults by change, row by row: the entry that is changed, and its new place (- where nothing
 * changes). Whether hashes are recomputed or not decides which fault `out_of_order` stands for. */
const rows = (text: string) => text.trim().split("\n").map((row) => row.trim().split(/ +/));
const repeated = rows(`
  entry_repeated  entry_repeated  entry_repeated  beacon_not_announced beacon_not_last
  entry_repeated  entry_repeated  entry_repeated  entry_repeated       beacon_not_last
  entry_repeated  entry_repeated  entry_repeated  entry_repeated       beacon_not_last
  beacon_not_last beacon_not_last beacon_not_last beacon_not_last      beacon_not_last`);
const moved = rows(`
  -               out_of_order    beacon_not_announced beacon_not_last
  out_of_order    -               out_of_order         beacon_not_last
  out_of_order    out_of_order    -                    beacon_not_last
  beacon_not_last beacon_not_last beacon_not_last      -`);
const exchanged = rows(`
  -                    out_of_order    beacon_not_announced beacon_not_last
  out_of_order         -               out_of_order         beacon_not_last
  beacon_not_announced out_of_order    -                    beacon_not_last
  beacon_not_last      beacon_not_last beacon_not_last      -`);
const EXPECTED: Record<string, string[][]> = { repeated, moved, exchanged };

const WRITERS = [[tamperTranscript, "entry_out_of_order"], [rewriteTranscript, "signature_invalid"]] as const;

Deno.test("each entry repeated, moved or exchanged is refused with its own fault, with and without new hashes", async () => {
  await using tiny = await openTinyCeremony();
  const { honest, verify } = await runCeremony(tiny, await openSigningKey((await createSigningKey()).pem));
  const { entries: { length } } = folderTranscript(honest);
  const faultOf = async (folder: typeof honest) => (await verify(folder, {}))[0].fault ?? "accepted";
  for (const [write, outOfOrder] of WRITERS) {
    for (const [what, change] of Object.entries(changes)) {
      const places = [...Array(length + (what === "repeated" ? 1 : 0)).keys()];
      for (let from = 0; from < length; from++) {
        const found: string[] = [];
        for (const to of places) {
          const same = what !== "repeated" && from === to;
          const folder = same || write(copyFolder(honest), ({ entries }) => change(entries, from, to));
          found.push(folder === true ? "-" : await faultOf(folder));
        }
        const expected = EXPECTED[what][from].map((fault) => fault === "out_of_order" ? outOfOrder : fault);
        assert.deepEqual(found, expected, `entry ${from + 1} ${what}`);
      }
    }
  }
});

Deno.test("each value of an entry altered without new hashes is refused as altered", async () => {
  await using tiny = await openTinyCeremony();
  const { honest, verify } = await runCeremony(tiny);
  for (const [i, entry] of folderTranscript(honest).entries.entries()) {
    for (const path of [...valuePaths(entry), "hash"]) {
      const folder = tamperTranscript(honest, ({ entries }) => alter(entries[i], path));
      const [{ verdict, fault }] = await verify(folder, {});
      assert.deepEqual([verdict, fault], ["failed", "entry_altered"], `entry ${i + 1}: ${path}`);
    }
    const folder = tamperTranscript(honest, ({ entries }) => alter(entries[i], "previous"));
    assert.equal((await verify(folder, {}))[0].fault, "entry_out_of_order", `entry ${i + 1}: previous`);
  }
});
