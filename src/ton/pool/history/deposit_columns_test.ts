import { deepEqual, equal, throws } from "node:assert/strict";
import { Address } from "@ton/core";
import { FIELD_MODULUS, fieldToBytes } from "../../../core/crypto/field.ts";
import { DepositColumns } from "./deposit_columns.ts";

const depositor = (i: number) => new Address(i % 2 === 0 ? 0 : -1, Buffer.alloc(32, i));
const deposit = (i: number, commitment = BigInt(i) << 200n) => ({
  commitment,
  depositor: depositor(i),
  timestamp: 1_700_000_000 + i,
});

Deno.test("columns give back each deposit, however often they have grown", () => {
  const columns = new DepositColumns();
  for (let i = 0; i < 3_000; i++) columns.add(deposit(i));
  equal(columns.count, 3_000);
  for (const i of [0, 1, 255, 256, 257, 1_023, 2_999]) {
    const { commitment, timestamp } = deposit(i);
    deepEqual(columns.leavesOf(commitment), [i]);
    equal(columns.timeOf(i), timestamp);
    equal(columns.depositorOf(i).toRawString(), depositor(i).toRawString());
    deepEqual(columns.commitments(i, i + 1), fieldToBytes(commitment));
  }
  deepEqual([columns.has(2n << 200n), columns.has(2n << 201n), columns.has(7n)], [true, true, false]);
});

Deno.test("copies of a commitment are all found, and a part of it is not enough", () => {
  const columns = new DepositColumns();
  for (const [i, commitment] of [5n, (1n << 128n) + 5n, 5n, 6n, 5n].entries()) {
    columns.add(deposit(i, commitment));
  }
  deepEqual([5n, 6n, 7n].map((commitment) => columns.leavesOf(commitment)), [[0, 2, 4], [3], []]);
});

Deno.test("what is no field element is not added, and not found", () => {
  const columns = new DepositColumns();
  throws(() => columns.add(deposit(0, FIELD_MODULUS)), { code: "not_in_field" });
  equal(columns.count, 0);
  deepEqual([columns.has(FIELD_MODULUS), columns.leavesOf(-1n)], [false, []]);
});
