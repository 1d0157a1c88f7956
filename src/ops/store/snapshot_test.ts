import { deepEqual, equal, rejects } from "node:assert/strict";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { ArchiveRow } from "../../store/archive.ts";
import { encodeRows } from "./export.ts";
import { exportSnapshot, readSnapshot, snapshotFormat } from "./snapshot.ts";

const pool = `0:${"aa".repeat(32)}`;
const other = `0:${"bb".repeat(32)}`;
const quiet = () => {};
const options = { exportedAt: new Date(0), onProgress: quiet, done: quiet };

type Row<Kind extends ArchiveRow["kind"]> = Extract<ArchiveRow, { kind: Kind }>;

const cursor: Row<"cursor"> = { kind: "cursor", pool, cursor: { lt: 9n, hash: "09" } };
const identity: ArchiveRow = { kind: "identity", identity: { network: "mainnet", wallet: other } };
const deposit = (leafIndex: number, commitment = BigInt(leafIndex + 100)): Row<"deposit"> => ({
  kind: "deposit",
  pool,
  deposit: { leafIndex, commitment, timestamp: 60 + leafIndex, txHash: `d${leafIndex}` },
});
const withdrawal = (nullifierHash: bigint): Row<"withdrawal"> => ({
  kind: "withdrawal",
  pool,
  withdrawal: { nullifierHash, fee: 1n, refund: 0n, timestamp: 99, txHash: `w${nullifierHash}` },
});
const payment = (position: number, value: bigint, settled = 16, txHash = `w${value}`): Row<"log"> => ({
  kind: "log",
  pool,
  entry: { position, kind: "payment", value, settled, txHash },
});
function settlement(position: number, settled: number, root?: bigint): Row<"log"> {
  const tree = new MerkleTree();
  tree.appendMany(Array.from({ length: settled }, (_, i) => BigInt(i + 100)));
  const value = root ?? tree.root;
  return { kind: "log", pool, entry: { position, kind: "settlement", value, settled, txHash: "s" } };
}

const deposits = Array.from({ length: 20 }, (_, i) => deposit(i));
const withdrawals = [withdrawal(7n), withdrawal(8n)];
const log = [settlement(0, 3), payment(1, 8n, 3), settlement(2, 16), payment(3, 7n)];
const good: ArchiveRow[] = [cursor, ...deposits, ...withdrawals, ...log];

async function* each<T>(items: readonly T[]) {
  yield* items;
}
const streamOf = (rows: readonly ArchiveRow[], format = snapshotFormat("mainnet")) =>
  ReadableStream.from(encodeRows(each(rows), format, options));
const read = (rows: readonly ArchiveRow[]) => readSnapshot(streamOf(rows), "mainnet", quiet);

Deno.test("of a store, only the public rows of the version 2 pools are exported", async () => {
  const rows = [
    identity,
    cursor,
    { ...cursor, pool: other },
    { kind: "job", job: { pool } } as unknown as ArchiveRow,
    { kind: "transfer", transfer: {} } as unknown as ArchiveRow,
    { kind: "ledger", entry: { pool } } as unknown as ArchiveRow,
    ...good.slice(1),
    { ...deposits[0], pool: other },
  ];
  const exported = exportSnapshot({ rows: () => each(rows) }, new Set([pool]), "mainnet", options);
  equal(await new Response(ReadableStream.from(exported)).text(), await new Response(streamOf(good)).text());
});

Deno.test("snapshot: a sound one is read, with its counts and its root", async () => {
  const { pools } = await read(good);
  deepEqual(
    pools.map(({ id, cursor, deposits, settled, payments }) => [id, cursor.lt, deposits, settled, payments]),
    [[pool, 9n, 20, 16, 2]],
  );
  equal(pools[0].root, log[2].entry.value);
});

const without = (row: ArchiveRow) => good.filter((one) => one !== row);
const replaced = (row: ArchiveRow, by: ArchiveRow) => good.map((one) => one === row ? by : one);
const faults: [string, readonly ArchiveRow[], RegExp][] = [
  ["without a pool", [], /has no pool/],
  ["without a cursor", without(cursor), /no cursor, or two/],
  ["with two cursors", [cursor, ...good], /no cursor, or two/],
  ["with a row of a pool without a cursor", [...good, { ...deposits[0], pool: other }], /no cursor, or two/],
  ["with a missing deposit", without(deposits[4]), /leaf 4 is missing/],
  [
    "without the last settled deposits",
    [cursor, ...deposits.slice(0, 15), ...withdrawals, ...log],
    /ends at 16/,
  ],
  ["with a changed commitment", replaced(deposits[2], deposit(2, 5n)), /root that its leaves do not give/],
  ["with reordered deposits", replaced(deposits[1], deposits[2]), /leaf 1 is missing/],
  ["with a changed root", replaced(log[2], settlement(2, 16, 5n)), /root that its leaves do not give/],
  ["with a log that has a gap", without(log[1]), /entry 1 of its log is missing/],
  ["with a payment out of order", replaced(log[1], payment(1, 8n, 16)), /out of order/],
  ["with a payment that the log does not name", good.slice(0, -1), /a payment is missing in its log/],
  ["with a log entry without a payment", without(withdrawals[0]), /names no payment/],
  ["with a payment by another transaction", replaced(log[3], payment(3, 7n, 16, "w9")), /names no payment/],
  ["with a payment twice", [cursor, ...deposits, ...withdrawals, withdrawal(7n), ...log], /paid twice/],
  ["with a note in the log twice", [...good, payment(4, 7n)], /names no payment/],
  ["with a private row", [...good, identity], /not public/],
];
for (const [what, rows, text] of faults) {
  Deno.test(`snapshot: one ${what} is refused`, async () => {
    await rejects(read(rows), { code: "invalid_export", message: text });
  });
}

Deno.test("snapshot: one of another network, or an export of a store, is refused", async () => {
  const readAs = (format: Parameters<typeof encodeRows>[1], network: "mainnet" | "testnet") =>
    rejects(readSnapshot(streamOf(good, format), network, quiet), { code: "invalid_export" });
  await readAs(snapshotFormat("mainnet"), "testnet");
  await readAs({ format: "tonado-store" }, "mainnet");
});

Deno.test("a truncated or a changed file is refused", async () => {
  const text = await new Response(streamOf(good)).text();
  const readText = (changed: string) => readSnapshot(new Response(changed).body!, "mainnet", quiet);
  await readText(text);
  const lines = text.trimEnd().split("\n");
  for (
    const changed of [
      text.slice(0, -5),
      lines.slice(0, -1).join("\n") + "\n",
      text + "{}\n",
      text.replace('"fee":"1"', '"fee":"2"'),
      text.replace('"version":1', '"version":2'),
      "",
    ]
  ) {
    await rejects(readText(changed), { code: "invalid_export" });
  }
});
