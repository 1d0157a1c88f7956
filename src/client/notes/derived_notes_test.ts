import { deepEqual, equal, throws } from "node:assert/strict";
import { Address } from "@ton/core";
import fc from "fast-check";
import { Secret } from "../../core/text/secret.ts";
import { deriveNote } from "../../core/protocol/seed/note_seed.ts";
import { nextDerivedNote, recoverDerivedNotes, RECOVERY_GAP } from "./derived_notes.ts";

const seed = new Secret(new Uint8Array(32).fill(3));
const pool = { asset: "native", amount: "1", address: new Address(0, Buffer.alloc(32, 7)) };
const commitments = Array.from(
  { length: 3 * RECOVERY_GAP },
  (_, index) => deriveNote(seed, "localnet", pool, index).commitment,
);
const has = (indices: Iterable<number>) => {
  const known = new Set([...indices].map((index) => commitments[index]));
  return (commitment: bigint) => known.has(commitment);
};
const next = (stored: Iterable<number>, deposited: Iterable<number>) =>
  nextDerivedNote(seed, "localnet", pool, { isStored: has(stored), isDeposited: has(deposited) });
const recovered = (deposited: Iterable<number>) =>
  recoverDerivedNotes(seed, "localnet", pool, has(deposited)).map(({ index }) => index);
const range = (end: number) => Array.from({ length: end }, (_, index) => index);

Deno.test("the next note is the first that is neither stored nor in the pool", () => {
  equal(next([], []).index, 0);
  equal(next([0, 1], []).index, 2);
  equal(next([], [0, 1]).index, 2);
  equal(next([0, 3], [1]).index, 2);
  equal(next([0, 2], [1]).note.commitment, commitments[3]);
});

Deno.test("a note that recovery would not find is never created", () => {
  equal(next(range(RECOVERY_GAP - 1), []).index, RECOVERY_GAP - 1);
  throws(() => next(range(RECOVERY_GAP), []), { code: "note_gap_reached" });
  equal(next(range(RECOVERY_GAP), [5]).index, RECOVERY_GAP);
});

Deno.test("recovery finds every deposit, in whatever order the notes of two devices were deposited", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ device: fc.nat(1), deposits: fc.boolean(), sees: fc.boolean() }), {
        maxLength: 150,
      }),
      (events) => {
        const stores = [new Set<number>(), new Set<number>()];
        const deposited = new Set<number>();
        for (const { device, deposits, sees } of events) {
          const mine = [...stores[device]].filter((index) => deposited.has(index));
          const { index } = next(stores[device], sees ? deposited : mine);
          stores[device].add(index);
          if (deposits) deposited.add(index);
        }
        deepEqual(recovered(deposited), [...deposited].sort((a, b) => a - b));
      },
    ),
    { numRuns: 30 },
  );
});

Deno.test("recovery stops after a gap of undeposited notes", () => {
  deepEqual(recovered([]), []);
  deepEqual(recovered([RECOVERY_GAP - 1, 2 * RECOVERY_GAP - 1]), [RECOVERY_GAP - 1, 2 * RECOVERY_GAP - 1]);
  deepEqual(recovered([0, RECOVERY_GAP + 1]), [0]);
  deepEqual(recovered([40, 110, 180]), [40, 110, 180], "each deposit begins a new gap");
});
