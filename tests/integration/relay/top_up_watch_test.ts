/** Which pools a relayer tops up, how often, and what a lying endpoint can cost. */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { Address } from "@ton/core";
import { poolAddress, testAddress } from "../../../testkit/simulation/scripted_pool.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { bookLostTopUps } from "../../../src/relay/operations/ledger.ts";
import { nextSlot } from "../../../src/relay/top_ups/top_up_policy.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import type { Store } from "../../../src/store/store.ts";
import { fetchStorageBill } from "../../../src/ton/account_storage.ts";
import {
  type Change,
  code,
  COIN,
  data,
  DAY,
  prices,
  relayer,
  run,
  Scene,
  sign,
  STEP,
  type Watch,
  YEAR,
} from "../../support/relayer/top_up_scene.ts";

const alone = (more: Omit<Watch, "store"> = {}) => (store: Store, i: number): Watch[] =>
  i === 0 ? [{ store, ...more }] : [];

Deno.test("the scripted pool costs what its cells cost, and can pay for four years", async () => {
  const scene = new Scene();
  const account = await scene.port().account(poolAddress);
  const bill = await fetchStorageBill(scene.port(), { address: poolAddress, account, code, data, prices });
  deepEqual([bill.perYear, bill.runwayYears], [scene.perYear, 4]);
  ok(scene.perYear > COIN / 4n && scene.perYear < COIN / 2n, `${scene.perYear}`);
});

Deno.test("a jetton pool that can pay for less than five years gets what ten years need, once", async () => {
  const scene = new Scene({ years: 4.9 });
  const limitNano = 9n * COIN;
  const { shorts } = await run(scene, 30 * DAY, alone({ limitNano }));
  equal(scene.paid.length, 1);
  const needed = 10n * scene.perYear - 49n * scene.perYear / 10n + COIN / 10n;
  ok(scene.paid[0] >= needed && scene.paid[0] < needed + COIN / 100n, `${scene.paid[0]}`);
  deepEqual(shorts, [[]]);
});

Deno.test("a pool gets at most one coin a year by the relayer's own ledger, also after a restart; the rest is an alert", async () => {
  const scene = new Scene({ years: 0.5 });
  await withTempDirectory(async (dir) => {
    for (const until of [100 * DAY, 300 * DAY, 360 * DAY, 400 * DAY]) {
      const store = await openKvStore(dir);
      const end = new AbortController();
      scene.chain.at(until, () => end.abort());
      const { topUps, watch } = relayer(scene, { store }, end);
      await watch();
      deepEqual(topUps.shortPools, until < YEAR ? ["jet-10"] : []);
      await store.close();
      deepEqual(scene.paid, until < YEAR ? [COIN] : [COIN, COIN]);
    }
  });
});

Deno.test("with a limit of 0, a pool that needs coins is only reported", async () => {
  const scene = new Scene();
  const { shorts } = await run(scene, 5 * DAY, alone({ limitNano: 0n }));
  deepEqual([scene.paid, shorts], [[], [["jet-10"]]]);
});

Deno.test("a replica that no longer leads forgets which pools need coins", async () => {
  const scene = new Scene({ years: 0.5 });
  let led = false;
  const isLeader = () => scene.chain.now < 5 * DAY && (led = true);
  const { shorts } = await run(scene, 10 * DAY, alone({ isLeader }));
  deepEqual([led, scene.paid, shorts], [true, [COIN], [[]]]);
});

const unpaid: [claim: string, change: Change, watch?: Omit<Watch, "store">][] = [
  ["that can pay for five years", { years: 5.2 }],
  ["whose owner is not burned", { registered: { owner: testAddress(9) } }],
  ["whose registry entry hides an owner", { owner: testAddress(9) }],
  ["with another code than the registered one", { registered: { codeHash: "00".repeat(32) } }],
  ["that is frozen", { account: { state: "frozen", code: undefined, data: undefined } }],
  ["that is native", { registered: { asset: "native" } }],
  ["while the relayer's limit is 0", {}, { limitNano: 0n }],
  ["while another replica leads", {}, { isLeader: () => false }],
  ["if the wallet would fall below its stop balance", { balance: 2n * COIN }, { limitNano: 2n * COIN }],
  ["whose runway only a lying endpoint makes look short", {
    years: 30,
    account: { balance: 1n },
    verified: {},
  }],
  ["whose runway only a lying second endpoint makes look short", { years: 30, verified: { balance: 1n } }],
];
for (const [claim, change, watch] of unpaid) {
  Deno.test(`no coins go to a pool ${claim}`, async () => {
    const scene = new Scene(change);
    await run(scene, 10 * DAY, alone(watch));
    deepEqual(scene.paid, []);
  });
}

Deno.test("without a second endpoint, one that lies for years costs one coin a pool and year", async () => {
  const scene = new Scene({ years: 30, account: { balance: 1n } });
  await run(scene, 1.9 * YEAR, alone());
  deepEqual(scene.paid, [COIN, COIN]);
});

Deno.test("an endpoint that hides the transfer causes no second one within a year", async () => {
  const scene = new Scene({ years: 0.5 });
  const { shorts } = await run(scene, 300 * DAY, (store, i) => [{
    store,
    isLeader: () => i === 0,
    send: async (messages) => {
      const { transfer } = await sign(messages, 1_700_000_000 + Math.floor(scene.chain.now / 1000));
      await store.beginTransfer(transfer);
      scene.paid.push(messages[0].value);
      await store.endTransfer(transfer.hash, bookLostTopUps(transfer));
    },
  }]);
  deepEqual([scene.paid, shorts[0]], [[COIN], ["jet-10"]]);
});

Deno.test("while a top-up is in flight, no other is decided", async () => {
  const scene = new Scene({ years: 0.5 });
  await run(scene, 10 * DAY, (store, i) => [{
    store,
    isLeader: () => i === 0,
    send: async (messages) => {
      scene.paid.push(messages[0].value);
      await store.beginTransfer((await sign(messages, 1)).transfer);
    },
  }]);
  deepEqual(scene.paid, [COIN]);
});

Deno.test("of two relayers, one pays: the other sees the payment before its own slot", async () => {
  const slot = (wallet: Address) => nextSlot(0, wallet, poolAddress.toRawString(), DAY);
  const byteSlots = Array.from({ length: 9 }, (_, byte) => slot(testAddress(byte)));
  const other = byteSlots.findIndex((at) => Math.abs(at - byteSlots[0]) > 2 * STEP);
  const wallets = [testAddress(0), testAddress(other)];
  const scene = new Scene({ years: 4.9 });
  const limitNano = 9n * COIN;
  await run(scene, 20 * DAY, (store, i) => [{ store, wallet: wallets[i], limitNano }]);
  equal(scene.paid.length, 1);
});
