/** What the broadcaster does when things go wrong between the journal and the pool. All parts real but where it breaks. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address, TupleReader } from "@ton/core";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import type { Note } from "../../src/core/protocol/note.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres_store.ts";
import type { Store } from "../../src/store/store.ts";
import type { Chain } from "../../src/ton/chain.ts";
import { freshDatabase, postgresServer } from "../../testkit/servers/services.ts";
import { HourlyCaps } from "../../src/relay/withdrawals/hourly_caps.ts";
import { createMemoryRateLimitStore } from "../../src/store/memory/memory_rate_limit_store.ts";
import type { RateLimitStore } from "../../src/store/rate_limit_store.ts";
import { RelayerHarness, waitUntil, withMethods } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const FEE = 60_000_000n;
const PAID = 1_000_000_000n - FEE;
const fresh = (byte: number) => new Address(0, Buffer.alloc(32, byte));

/** Where the process ends: the first call of the named step does not return to it, and nor does any later one. */
const deaths: [
  moment: string,
  wrap: (reached: () => never) => Parameters<RelayerHarness["startRelayer"]>[0],
][] = [
  ["the job is journaled and not signed", (die) => ({
    store: (store: Store) => withMethods(store, { beginTransfer: () => Promise.reject(attempt(die)) }),
  })],
  ["the transfer is journaled and not sent", (die) => ({
    chain: (chain: Chain) => withMethods(chain, { send: () => Promise.reject(attempt(die)) }),
  })],
  ["the transfer is sent and that is not written down", (die) => ({
    store: (store: Store) => withMethods(store, { changeJob: () => Promise.reject(attempt(die)) }),
  })],
  ["the transfer is on chain and not ended", (die) => ({
    store: (store: Store) => withMethods(store, { endTransfer: () => Promise.reject(attempt(die)) }),
  })],
];

function attempt(die: () => never): unknown {
  try {
    return die();
  } catch (error) {
    return error;
  }
}

const stores = [
  { name: "kv", ignore: false, open: () => Promise.resolve({}) },
  {
    name: "postgres",
    ignore: !await postgresServer(),
    async open(places: AsyncDisposableStack) {
      const { url } = places.use(await freshDatabase());
      return { openStore: () => openPostgresStore(url) };
    },
  },
];

for (const { name, ignore, open } of stores) {
  Deno.test({
    name: `broadcaster (${name}): ended at any step and started again, it pays each withdrawal exactly once`,
    ignore,
    async fn(t) {
      await using places = new AsyncDisposableStack();
      const place: Parameters<RelayerHarness["startRelayer"]>[0] = await open(places);
      await using net = await RelayerHarness.start({ relayer: false });
      const notes: Note[] = [];
      for (const _ of deaths) notes.push(await net.deposit(KEY));
      for (const [i, [moment, wrap]] of deaths.entries()) {
        await t.step(`ended when ${moment}`, async () => {
          let reached = false;
          const dying = wrap(() => {
            reached = true;
            throw new Error("the process ends here");
          });
          await net.startRelayer({ ...place, ...dying });
          await net.untilIndexed(KEY);
          const recipient = fresh(0x60 + i);
          const submission = net.post("/withdraw", await net.withdrawal(KEY, notes[i], { recipient }));
          await waitUntil(moment, () => reached);
          await net.relayer.close();
          await submission;
          await net.startRelayer(place);
          const done = await net.untilState(statusOf(net, notes[i]), "confirmed", "failed", "expired");
          equal(done.state, "confirmed");
          await waitUntil(
            "the journal holds no transfer",
            async () => await net.store.transfer() === undefined,
          );
          equal((await net.chain.account(recipient)).balance, PAID);
          equal((await net.contract(KEY).getPoolInfo()).withdrawals, i + 1);
          await net.relayer.close();
        });
      }
    },
  });
}

Deno.test("broadcaster: foreign messages to the pool, and lost messages, costs no withdrawal", async (t) => {
  await using net = await RelayerHarness.start({ relayer: false });
  const [frontRun, dropped, poor, unseen, stale, selfRelayed] = [
    await net.deposit(KEY),
    await net.deposit(KEY),
    await net.deposit(KEY),
    await net.deposit(KEY),
    await net.deposit(KEY),
    await net.deposit(KEY),
  ];
  /** How the endpoint treats the relayer's sends. */
  let sending: "held" | "forgotten" | "taken" = "held";
  let sends = 0;
  let quote: bigint | undefined;
  let onIsSpent: () => void = () => {};
  const held = new Set<string>();
  const memory = createMemoryRateLimitStore(Date.now);
  const counting: RateLimitStore = {
    ...memory,
    acquire: (limit, key, token) => (held.add(token), memory.acquire(limit, key, token)),
    release: (limit, key, token) => (held.delete(token), memory.release(limit, key, token)),
  };
  await net.startRelayer({
    caps: new HourlyCaps(counting, { hourly: 100, hourlyPerPool: 0 }),
    chain: (chain) =>
      withMethods(chain, {
        send(message, options) {
          sends++;
          if (sending === "held") return Promise.reject(new Error("held back"));
          return sending === "forgotten" ? Promise.resolve() : chain.send(message, options);
        },
        runGetMethod(address, method, args, options) {
          if (method === "getIsSpent") onIsSpent();
          return method === "get_withdraw_value" && quote !== undefined
            ? Promise.resolve(new TupleReader([{ type: "int", value: quote }]))
            : chain.runGetMethod(address, method, args, options);
        },
      }),
  });
  await net.untilIndexed(KEY);
  const pool = net.contract(KEY);

  await t.step(
    "a failure forged with our nullifier hash changes nothing; a payment by others confirms",
    async () => {
      const body = await net.withdrawal(KEY, frontRun, { recipient: fresh(0x70) });
      const submission = net.post("/withdraw", body);
      await waitUntil("the relayer tries to send", () => sends > 0);
      const { proof } = body;
      const args = {
        root: BigInt(body.publicSignals[0]),
        nullifierHash: frontRun.nullifierHash,
        fee: FEE,
        refund: 0n,
        recipient: fresh(0x70),
        relayer: net.relayerAddress,
      };
      const forged = { ...proof, pi_a: proof.pi_c, pi_c: proof.pi_a };
      const before = await net.store.cursor(pool.address.toRawString());
      await pool.sendWithdraw(net.user.sender(), { ...args, proof: forged });
      await waitUntil("the forgery is indexed", async () => {
        const cursor = await net.store.cursor(pool.address.toRawString());
        return cursor!.lt > before!.lt;
      });
      equal((await net.post("/withdraw/status", statusOf(net, frontRun))).body.state, "accepted");
      await pool.sendWithdraw(net.user.sender(), { ...args, proof });
      equal((await net.untilState(statusOf(net, frontRun), "confirmed", "failed")).state, "confirmed");
      sending = "taken"; // ours comes second now, and the pool refuses it with 202
      await waitUntil("the transfer has ended", async () => await net.store.transfer() === undefined);
      const { status, body: answer } = await submission;
      deepEqual([status, answer.state, answer.seqno], [202, "confirmed", null]); // paid, and not by us
      equal((await net.post("/withdraw/status", statusOf(net, frontRun))).body.state, "confirmed");
      equal((await net.chain.account(fresh(0x70))).balance, PAID);
    },
  );

  await t.step(
    "a payment by another proof supersedes the withdrawal, and its status names the fee paid",
    async () => {
      sending = "held";
      const attempts = sends;
      const submission = net.post(
        "/withdraw",
        await net.withdrawal(KEY, selfRelayed, { recipient: fresh(0x74) }),
      );
      await waitUntil("the relayer tries to send", () => sends > attempts);
      const own = await net.withdrawal(KEY, selfRelayed, {
        recipient: fresh(0x75),
        relayer: fresh(0x76),
        fee: 1n,
      });
      await pool.sendWithdraw(net.user.sender(), {
        root: BigInt(own.publicSignals[0]),
        nullifierHash: selfRelayed.nullifierHash,
        fee: 1n,
        refund: 0n,
        recipient: fresh(0x75),
        relayer: fresh(0x76),
        proof: own.proof,
      });
      const done = await net.untilState(statusOf(net, selfRelayed), "confirmed", "superseded", "failed");
      deepEqual([done.state, done.fee], ["superseded", "1"]);
      sending = "taken";
      await waitUntil("the transfer has ended", async () => await net.store.transfer() === undefined);
      equal((await submission).body.state, "superseded");
      const again = await net.post(
        "/withdraw",
        await net.withdrawal(KEY, selfRelayed, { recipient: fresh(0x74) }),
      );
      deepEqual([again.body.code, again.body.withdrawal.state], ["nullifier_already_used", "superseded"]);
      const payment = await net.store.withdrawal(pool.address.toRawString(), selfRelayed.nullifierHash);
      deepEqual([payment?.fee, payment?.txHash], [1n, done.txHash]);
    },
  );

  await t.step(
    "a transfer that the endpoint took and forgot is signed again once chain time has passed it",
    async () => {
      sending = "forgotten";
      const body = await net.withdrawal(KEY, dropped, { recipient: fresh(0x71) });
      const { status, body: sent } = await net.post("/withdraw", body);
      deepEqual([status, sent.state], [200, "broadcast"]);
      sending = "taken";
      const { now } = await net.user.state();
      await net.localnet.setNow(now + 90);
      const done = await net.untilState(statusOf(net, dropped), "confirmed", "failed", "expired");
      equal(done.state, "confirmed");
      ok(done.messageHash !== sent.messageHash);
      equal((await net.chain.account(fresh(0x71))).balance, PAID);
    },
  );

  await t.step(
    "a message that the pool refuses fails the withdrawal by name, and a repeat has to wait",
    async () => {
      quote = 20_000_000n;
      const body = await net.withdrawal(KEY, poor, { recipient: fresh(0x72) });
      await net.post("/withdraw", body);
      const done = await net.untilState(statusOf(net, poor), "confirmed", "failed", "expired");
      deepEqual([done.state, done.reason], ["failed", "ERR_INSUFFICIENT_VALUE"]);
      quote = undefined;
      const again = await net.post("/withdraw", body);
      deepEqual([again.status, again.body.code], [429, "retry_later"]);
      const wait = Number(again.headers.get("retry-after"));
      ok(wait > 0 && wait <= 30, String(wait));
      equal(await pool.getIsSpent(poor.nullifierHash), false);
    },
  );

  await t.step(
    "a root that another replica read first does not expire its withdrawal: it is paid once this one has read it",
    async () => {
      const state = net.relayer.pools().find(({ key }) => key === KEY)!;
      const body = await net.withdrawal(KEY, unseen, { recipient: fresh(0x74) });
      const { roots } = state;
      let acceptedAt = Infinity;
      let isHidden = false;
      onIsSpent = () => acceptedAt = Math.min(acceptedAt, Date.now());
      Object.defineProperty(state, "roots", {
        configurable: true,
        get() {
          isHidden = acceptedAt < Infinity && state.syncedAt < acceptedAt + 20;
          return isHidden ? [5n] : roots;
        },
        set: () => {},
      });
      const { status, body: answer } = await net.post("/withdraw", body);
      deepEqual([status, answer.state, isHidden], [200, "broadcast", false]);
      Object.defineProperty(state, "roots", { configurable: true, writable: true, value: roots });
      equal((await net.untilState(statusOf(net, unseen), "confirmed", "expired")).state, "confirmed");
    },
  );

  await t.step(
    "a root that left the ring while its withdrawal waited expires it; it may be submitted again",
    async () => {
      const state = net.relayer.pools().find(({ key }) => key === KEY)!;
      const body = await net.withdrawal(KEY, stale, { recipient: fresh(0x73) });
      const { roots } = state;
      // The check of the root comes before this question to the chain, the broadcaster's own look at it after.
      let gone = false;
      onIsSpent = () => void (gone = true);
      Object.defineProperty(state, "roots", {
        configurable: true,
        get: () => gone ? [5n] : roots,
        set: () => {},
      });
      const before = held.size;
      const { status, body: answer } = await net.post("/withdraw", body);
      deepEqual([status, answer.state, answer.seqno], [202, "expired", null]);
      equal(held.size, before, "what expired is not counted against the hourly caps");
      Object.defineProperty(state, "roots", { configurable: true, writable: true, value: roots });
      equal((await net.post("/withdraw", body)).status, 200);
      equal((await net.untilState(statusOf(net, stale), "confirmed")).state, "confirmed");
      equal(held.size, before + 1, "what was paid is");
    },
  );
});

function statusOf(net: RelayerHarness, { nullifierHash }: Note) {
  return { pool: net.pool(KEY).address.toString(), nullifierHash: fieldToHex(nullifierHash) };
}
