import { deepEqual, equal } from "node:assert/strict";
import { commitmentsQuery, noteCheckBody } from "./schemas.ts";

const pool = `0:${"11".repeat(32)}`;
const limitOf = (limit?: string) => commitmentsQuery.safeParse({ pool, ...limit && { limit } }).data?.limit;

Deno.test("a text of 80 characters is not an address, a longer one is too long", () => {
  const messageOf = (length: number) =>
    noteCheckBody.safeParse({ pool: "x".repeat(length) }).error?.issues.map(({ message }) => message);
  deepEqual([79, 80, 81].map(messageOf), [["is not a TON address"], ["is not a TON address"], [
    "is too long",
  ]]);
});

Deno.test("a page has 1,000 leaves by default, and at most 10,000", () => {
  deepEqual([undefined, "1", "9999", "10000", "10001", "9".repeat(30)].map(limitOf), [
    1_000,
    1,
    9_999,
    10_000,
    10_000,
    10_000,
  ]);
  for (const wrong of ["0", "-1", "1.5", "1e3", "0x10", " 1"]) equal(limitOf(wrong), undefined, wrong);
});
