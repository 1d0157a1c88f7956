/**
 * Nothing grew since the time before the rules that protect money, except for the causes listed here.
 * `before_money_rules.json` holds the messages and get methods of the snapshot of commit 54ad9aaf.
 */
import assert from "node:assert/strict";
import before from "../fixtures/gas/before_money_rules.json" with { type: "json" };
import { kinds } from "../../testkit/gas/measure.ts";
import type { PoolKind } from "../../testkit/gas/measured_pool.ts";
import { readSnapshot } from "../../testkit/gas/snapshot.ts";

const RETURNED = "the pool returns refused deposits itself";
const HISTORY = "claims lie beside the older roots, so a search of the older half looks for them";
const PREPAID = "storage of a deposit's keys is prepaid, and storage that is due is subtracted";
const BLOCKED = "withdrawals stop while 255 claims are open: the number of claims is loaded with the wallet";

type Cause = readonly [kind: PoolKind, rows: readonly string[], most: number, cause: string];

/** Each cause, and the most that it adds to a row, at any number of notes. */
const CAUSES: readonly Cause[] = [
  ["native", ["deposit"], 187, RETURNED],
  ["native", ["deposit, false proof"], 1_773, RETURNED],
  ["native", ["deposit, wrong amount", "deposit, paused", "deposit, pool full"], 1_686, RETURNED],
  ["native", ["deposit, above the field", "deposit, stale", "deposit, commitment known"], 1_671, RETURNED],
  ["native", ["deposit, malformed"], 1_099, RETURNED],
  ["native", ["withdraw, oldest root", "withdraw, root unknown", "get_root_history"], 184, HISTORY],
  [
    "native",
    ["withdraw, to the pool itself", "withdraw, value too low"],
    63,
    "the payees are now checked after the proof, for 324 gas; reading a message became cheaper",
  ],
  ["jetton", ["deposit"], 1_003, "claims move to a new archive once in 32 deposits, and storage is prepaid"],
  ["jetton", ["deposit, wrong amount", "deposit, too little for its way back"], 210, PREPAID],
  ["jetton", ["deposit, false proof"], 137, PREPAID],
  ["jetton", ["deposit, paused", "deposit, pool full"], 50, PREPAID],
  ["jetton", ["deposit, above the field", "deposit, stale", "deposit, commitment known"], 35, PREPAID],
  ["jetton", ["deposit, sent as coins"], 1_141, RETURNED],
  ["jetton", ["unknown op"], 24, "a comment that begins with tonado: is a deposit, so comments are read"],
  ["jetton", ["empty body"], 8, "a comment that begins with tonado: is a deposit, so comments are read"],
  ["jetton", ["bounced"], 910, "a payout that the wallet refused becomes a claim"],
  ["jetton", ["withdraw, above the field"], 259, BLOCKED],
  ["jetton", ["withdraw, spent"], 184, BLOCKED],
  ["jetton", ["withdraw, false proof", "withdraw, fee above the note"], 66, BLOCKED],
  ["jetton", ["withdraw, to the pool itself"], 390, BLOCKED],
  ["jetton", ["withdraw, value too low"], 125, BLOCKED],
  ["jetton", ["withdraw, root unknown", "get_root_history"], 1_163, HISTORY],
  [
    "jetton",
    ["recover stuck", "recover stuck, no surplus"],
    456,
    "storage of the claims is reserved for 40 years",
  ],
  ["jetton", ["get_deposit_value"], 1_310, PREPAID],
  ["jetton", ["get_withdraw_value"], 1_820, PREPAID],
  ["jetton", ["getNextIndex", "get_pool_info"], 100, "get_claims and the number of claims were added"],
];

type Rows = Record<string, Record<"messages" | "getters", Record<string, number>>>;

/** Each row of the earlier snapshot with the gas that it has gained; negative if it became cheaper. */
async function growths(): Promise<{ kind: PoolKind; row: string; growth: number }[]> {
  const { gas } = await readSnapshot();
  return kinds.flatMap((kind) =>
    Object.entries(before[kind] as unknown as Rows).flatMap(([fill, groups]) =>
      (["messages", "getters"] as const).flatMap((group) =>
        Object.entries(groups[group]).map(([row, was]) => {
          const now = (gas[kind][fill][group] as Record<string, number>)[row];
          assert.ok(now !== undefined, `${kind}, ${fill}: ${row} is not measured any more`);
          return { kind, row, growth: now - was };
        })
      )
    )
  );
}

Deno.test("no message or get method costs more than before the rules that protect money, except for a listed cause", async () => {
  const most = new Map<string, number>();
  for (const { kind, row, growth } of await growths()) {
    if (growth <= 0) continue;
    const cause = CAUSES.find(([of, rows]) => of === kind && rows.includes(row));
    assert.ok(cause, `${kind}: ${row} grew by ${growth} without a listed cause`);
    const key = `${kind}: ${cause[1].join(", ")}`;
    most.set(key, Math.max(most.get(key) ?? 0, growth));
  }
  const listed = CAUSES.map(([kind, rows, growth]) => [`${kind}: ${rows.join(", ")}`, growth] as const);
  assert.deepEqual(Object.fromEntries(most), Object.fromEntries(listed), "a cause adds another amount");
});

Deno.test("docs/gas.md lists each cause with its rows and the most that it adds", async () => {
  const text = (await Deno.readTextFile("docs/gas.md")).replaceAll(/ +/g, " ");
  for (const [kind, rows, growth, cause] of CAUSES) {
    const line = `| ${kind} | ${rows.map((row) => `${row}`).join("; ")} | ${
      growth.toLocaleString("en")
    } | ${cause} |`;
    assert.ok(text.includes(line), line);
  }
});
