/** `tonado store report`: the ledger by day and pool, as a table and as JSON, for both kinds of stores. */
import { deepEqual, equal, match, throws } from "node:assert/strict";
import { Address } from "@ton/core";
import { parseTimeArgument, toReportRange } from "../../../src/cli/commands/store/report.ts";
import { formatDeployments } from "../../../src/core/protocol/deployments.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import type { LedgerEntry, Store } from "../../../src/store/store.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { freshDatabase, postgresServer } from "../../../testkit/servers/services.ts";
import { runCli } from "../../support/cli/run_cli.ts";

const native = new Address(0, Buffer.alloc(32, 0xaa));
const jetton = new Address(0, Buffer.alloc(32, 0xbb));
const unknown = new Address(0, Buffer.alloc(32, 0xcc));
const hash = "ab".repeat(32);
const common = { deployedSeqno: 1, codeHash: hash, vkeyHash: hash, owner: null };
const registry = formatDeployments({
  network: "testnet",
  pools: new Map([
    ["native-10", { ...common, address: native, asset: "native", amount: "10", denomination: 10n ** 10n }],
    ["jusdt-20", {
      ...common,
      address: jetton,
      asset: "jusdt",
      amount: "20",
      denomination: 20_000_000n,
      jettonMaster: unknown,
      jettonWallet: unknown,
      decimals: 6,
    }],
  ]),
});

const day = (text: string) => Date.parse(text) / 1_000;
let lt = 0n;
const entry = (pool: Address, timestamp: number, more: Partial<LedgerEntry>): LedgerEntry => ({
  pool: pool.toRawString(),
  kind: "withdrawal",
  txHash: hash,
  lt: ++lt,
  timestamp,
  fee: 0n,
  gas: 0n,
  refund: 0n,
  ...more,
});
const entries: LedgerEntry[] = [
  entry(native, day("2026-10-31T23:59:59Z"), { fee: 60_000_000n, gas: 20_000_000n }),
  entry(native, day("2026-11-01T00:00:00Z"), { fee: 60_000_001n, gas: 20_050_000n, refund: 30_000_000n }),
  entry(native, day("2026-11-01T05:00:00Z"), { kind: "refused", gas: 9_000_000n }),
  entry(native, day("2026-11-01T05:00:01Z"), { kind: "transfer", gas: 5_000_000n }),
  entry(jetton, day("2026-11-01T23:59:59Z"), { fee: 500_000n, gas: 90_000_000n, refund: 100_000_000n }),
  entry(unknown, day("2026-11-02T00:00:00Z"), { fee: 7n, gas: 1_000_000n }),
];

async function fill(
  store: Store & { claimIdentity: Awaited<ReturnType<typeof openKvStore>>["claimIdentity"] },
) {
  await store.claimIdentity({ network: "testnet", wallet: native.toRawString() });
  await store.acquireLease(600_000);
  for (const pool of [native, jetton, unknown].map((address) => address.toRawString())) {
    const ledger = entries.filter((each) => each.pool === pool);
    await store.apply({ pool, events: [], from: undefined, to: { lt, hash }, ledger }, () => undefined);
  }
  await store.releaseLease();
  await store.close();
}

function report(args: string[], dir: string, env: Record<string, string> = {}) {
  return runCli(["store", "report", "--registry", `${dir}/registry.json`, ...args], env);
}

const november = ["--since", "2026-11-01", "--until", "2026-11-01"];

for (const kind of ["embedded", "postgres"] as const) {
  Deno.test({
    name: `store report (${kind}): days and totals are exact, and a day belongs to the range that names it`,
    ignore: kind === "postgres" && !await postgresServer(),
    fn: () =>
      withTempDirectory(async (dir) => {
        await Deno.writeTextFile(`${dir}/registry.json`, registry);
        await using database = kind === "postgres" ? await freshDatabase() : undefined;
        await fill(database ? await openPostgresStore(database.url) : await openKvStore(`${dir}/data`));
        const env: Record<string, string> = database
          ? { DATABASE_URL: database.url }
          : { RELAYER_DATA_DIR: `${dir}/data` };
        const { code, stdout, stderr } = await report([...november, "--json"], dir, env);
        equal(code, 0, stderr);
        const { days, totals, network, since, until } = JSON.parse(stdout);
        equal(network, "testnet");
        deepEqual([since, until], ["2026-11-01T00:00:00.000Z", "2026-11-02T00:00:00.000Z"]);
        const sums = {
          pool: "native-10",
          address: native.toRawString(),
          asset: "native",
          paid: 1,
          refused: 1,
          fees: "60000001",
          gas: "34050000",
          refunds: "30000000",
          profit: "-4049999",
        };
        const ofJettons = {
          pool: "jusdt-20",
          address: jetton.toRawString(),
          asset: "jusdt",
          paid: 1,
          refused: 0,
          fees: "500000",
          gas: "90000000",
          refunds: "100000000",
          profit: null,
        };
        deepEqual(days, [sums, ofJettons].map((each) => ({ day: "2026-11-01", ...each })));
        deepEqual(totals, [sums, ofJettons]);
        const table = await report(november, dir, env);
        equal(
          table.stdout,
          [
            "day         pool       paid       fees     gas  refunds  profit",
            "2026-11-01  native-10     1       0.06  0.0341     0.03  -0.004",
            "2026-11-01  jusdt-20      1  0.5 jusdt    0.09      0.1       -",
            "total       native-10     1       0.06  0.0341     0.03  -0.004",
            "total       jusdt-20      1  0.5 jusdt    0.09      0.1       -",
            "",
          ].join("\n"),
        );
      }),
  });
}

Deno.test("an unknown pool is shown by its address, lines fit into 80 columns, and an empty report says so", () =>
  withTempDirectory(async (dir) => {
    await Deno.writeTextFile(`${dir}/registry.json`, registry);
    await fill(await openKvStore(`${dir}/data`));
    const all = await report(["--data-dir", `${dir}/data`], dir);
    equal(all.code, 0, all.stderr);
    match(all.stdout, /^2026-11-02 {2}kQDMz\w+… .* 7 units/m);
    for (const line of all.stdout.split("\n")) equal(line.length <= 80, true, line);
    const none = await report(["--data-dir", `${dir}/data`, "--until", "2026-10-01"], dir);
    equal(none.stdout, "no withdrawals in this time\n");
    const wrong = await report(["--since", "2026-02-30"], dir);
    equal(wrong.code, 2);
    match(wrong.stderr, /UTC date like 2026-11-01/);
  }));

Deno.test("a time is a day, an instant or an age; a day includes its end", () => {
  const now = Date.parse("2026-11-23T15:00:00Z");
  const range = (since: string, until: string) =>
    toReportRange({ since: parseTimeArgument(since), until: parseTimeArgument(until) }, now);
  deepEqual(range("2026-11-01", "2026-11-01"), { since: day("2026-11-01"), until: day("2026-11-02") });
  deepEqual(range("2026-11-01T12:00Z", "2026-11-01T12:00:05Z"), {
    since: day("2026-11-01T12:00Z"),
    until: day("2026-11-01T12:00:05Z"),
  });
  deepEqual(range("7d", "24h"), { since: now / 1_000 - 7 * 86_400, until: now / 1_000 - 86_400 });
  for (const bad of ["", "yesterday", "2026-13-01", "2026-02-30", "0d", "7", "-7d", "2026-11-01T12:00"]) {
    throws(() => parseTimeArgument(bad), bad);
  }
});
