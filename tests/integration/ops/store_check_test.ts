/** `tonado store check` finds each kind of contradiction between rows, and nothing in a sound store. */
import { deepEqual } from "node:assert/strict";
import { generateRows, samplePools } from "../../support/relayer/store_rows.ts";
import type { ArchiveRow } from "../../../src/store/archive.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { checkStore } from "../../../src/ops/store/consistency_check.ts";
import { omit } from "../../../src/core/omit.ts";

type Change = (row: ArchiveRow) => ArchiveRow[];
const jobIs = (row: ArchiveRow, state: string) =>
  row.kind === "job" && row.job.state === state && row.job.pool === samplePools[0];

/** Changes the first row for which `which` is true. */
function first(which: (row: ArchiveRow) => boolean, change: Change): Change {
  let done = false;
  return (row) => {
    if (done || !which(row)) return [row];
    done = true;
    return change(row);
  };
}

const cases: [claim: string, failing: string[], change: Change][] = [
  ["nothing in a sound store", [], (row) => [row]],
  [
    "a missing leaf",
    ["leaves"],
    first((row) => row.kind === "deposit" && row.deposit.leafIndex === 3, () => []),
  ],
  ["a log without its first entry", ["logs"], first((row) => row.kind === "log", () => [])],
  [
    "a log that settles more deposits than there are",
    ["logs"],
    (row) =>
      row.kind === "log" && row.entry.position === 1
        ? [{ ...row, entry: { ...row.entry, settled: 11 } }]
        : [row],
  ],
  [
    "a log without one of the payments",
    ["logs"],
    (row) => row.kind === "log" && row.entry.position === 4 ? [] : [row],
  ],
  ["a pool without cursor", ["cursors"], first((row) => row.kind === "cursor", () => [])],
  [
    "a live job without its message",
    ["jobs"],
    first((row) => jobIs(row, "accepted"), (row) => {
      if (row.kind !== "job") return [row];
      return [{ kind: "job", job: omit(row.job, "message") }];
    }),
  ],
  [
    "an ended job that kept its proof",
    ["jobs"],
    first(
      (row) => jobIs(row, "failed"),
      (row) =>
        row.kind === "job"
          ? [{ kind: "job", job: { ...row.job, message: { recipient: "r", proof: "p" } } }]
          : [],
    ),
  ],
  [
    "a ledger entry of a payment that the pool did not make",
    ["ledger"],
    first(
      (row) => row.kind === "ledger" && row.entry.kind === "withdrawal",
      (row) => row.kind === "ledger" ? [{ kind: "ledger", entry: { ...row.entry, txHash: "00" } }] : [],
    ),
  ],
  [
    "a confirmed job without payment",
    ["payments", "logs"],
    first((row) => row.kind === "withdrawal", () => []),
  ],
  [
    "a confirmed job paid by another transaction",
    ["payments"],
    first(
      (row) => row.kind === "withdrawal",
      (row) => row.kind === "withdrawal" ? [{ ...row, withdrawal: { ...row.withdrawal, txHash: "ee" } }] : [],
    ),
  ],
  [
    "a live job whose note is paid",
    ["payments", "logs"],
    (row) =>
      row.kind === "withdrawal" && row.withdrawal.nullifierHash === 2n ** 250n + 2n * 2n ** 200n + 2n
        ? [row, { ...row, withdrawal: { ...row.withdrawal, nullifierHash: 2n ** 250n } }]
        : [row],
  ],
  ["a transfer that carries what no journal knows", ["transfer"], (row) =>
    row.kind === "transfer"
      ? [{
        kind: "transfer",
        transfer: { ...row.transfer, jobs: [{ pool: samplePools[0], nullifierHash: 5n, queryId: 1n }] },
      }]
      : [row]],
];

Deno.test("store check finds packed leaves that differ from the rows", async () => {
  const directory = await Deno.makeTempDir({ prefix: "tonado-check-" });
  try {
    const store = await openKvStore(directory);
    await store.restore((async function* () {
      yield* generateRows({ deposits: 1_100, jobs: 10 });
    })());
    await store.close();
    const kv = await Deno.openKv(`${directory}/tonado.kv`);
    for await (const { key, value } of kv.list<Uint8Array>({ prefix: ["page"] }, { limit: 1 })) {
      value[100] ^= 1;
      await kv.set(key, value);
    }
    kv.close();
    const again = await openKvStore(directory);
    const checks = await checkStore(again, () => {});
    await again.close();
    deepEqual(checks.filter(({ passed }) => !passed).map(({ name }) => name), ["leaves"]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("store check reports whether a transfer is in flight", async () => {
  for (const inFlight of [true, false]) {
    const directory = await Deno.makeTempDir({ prefix: "tonado-check-" });
    const store = await openKvStore(directory);
    try {
      await store.restore((async function* () {
        for (const row of generateRows({ deposits: 10, jobs: 10 })) {
          if (inFlight || row.kind !== "transfer") yield row;
        }
      })());
      const transfer = (await checkStore(store, () => {})).find(({ name }) => name === "transfer");
      deepEqual(
        [transfer?.passed, transfer?.detail],
        [true, inFlight ? "one of 4 withdrawals" : "none in flight"],
      );
    } finally {
      await store.close();
      await Deno.remove(directory, { recursive: true });
    }
  }
});

for (const [claim, failing, change] of cases) {
  Deno.test(`store check finds ${claim}`, async () => {
    const directory = await Deno.makeTempDir({ prefix: "tonado-check-" });
    const store = await openKvStore(directory);
    try {
      await store.restore((async function* () {
        for (const row of generateRows({ deposits: 10, jobs: 10 })) yield* change(row);
      })());
      const checks = await checkStore(store, () => {});
      deepEqual(
        checks.filter(({ passed }) => !passed).map(({ name }) => name),
        failing,
        JSON.stringify(checks),
      );
    } finally {
      await store.close();
      await Deno.remove(directory, { recursive: true });
    }
  });
}
