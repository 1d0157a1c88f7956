/** The broadcaster's response to faults between the journal and the pool. All other parts are real. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import type { Note } from "../../src/core/protocol/note.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres_store.ts";
import type { Store } from "../../src/store/store.ts";
import type { Chain } from "../../src/ton/chain.ts";
import { freshDatabase, postgresServer } from "../../testkit/servers/services.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness, withMethods } from "../support/relayer/relayer_harness.ts";
import { type HeldBroadcasts, startHeldBroadcasts } from "../support/relayer/held_broadcasts.ts";

const KEY = "native-1";
const FEE = 60_000_000n;
const PAID = 1_000_000_000n - FEE;
const fresh = (byte: number) => new Address(0, Buffer.alloc(32, byte));

/** Steps at which the process ends: calls of the named step fail, beginning with the first. */
const interruptions: [
  moment: string,
  wrap: (reached: () => never) => Parameters<RelayerHarness["startRelayer"]>[0],
][] = [
  ["the job is journaled and not signed", (reached) => ({
    store: (store: Store) => withMethods(store, { beginTransfer: () => Promise.reject(catchError(reached)) }),
  })],
  ["the transfer is journaled and not sent", (reached) => ({
    chain: (chain: Chain) => withMethods(chain, { send: () => Promise.reject(catchError(reached)) }),
  })],
  ["the transfer is sent and not recorded", (reached) => ({
    store: (store: Store) => withMethods(store, { changeJob: () => Promise.reject(catchError(reached)) }),
  })],
  ["the transfer is on the chain and not ended", (reached) => ({
    store: (store: Store) => withMethods(store, { endTransfer: () => Promise.reject(catchError(reached)) }),
  })],
];

function catchError(reached: () => never): unknown {
  try {
    return reached();
  } catch (error) {
    return error;
  }
}

const stores = [
  { name: "kv", ignore: false, open: () => Promise.resolve({}) },
  {
    name: "postgres",
    ignore: !await postgresServer(),
    async open(stack: AsyncDisposableStack) {
      const { url } = stack.use(await freshDatabase());
      return { openStore: () => openPostgresStore(url) };
    },
  },
];

for (const { name, ignore, open } of stores) {
  Deno.test({
    name: `broadcaster (${name}): ended at any step and started again, it pays each withdrawal exactly once`,
    ignore,
    async fn(t) {
      await using stack = new AsyncDisposableStack();
      const storeOptions: Parameters<RelayerHarness["startRelayer"]>[0] = await open(stack);
      await using net = await RelayerHarness.start({ relayer: false });
      const notes: Note[] = [];
      for (const _ of interruptions) notes.push(await net.deposit(KEY));
      for (const [i, [moment, wrap]] of interruptions.entries()) {
        await t.step(`ended when ${moment}`, async () => {
          let reached = false;
          const interruption = wrap(() => {
            reached = true;
            throw new Error("the process ends here");
          });
          await net.startRelayer({ ...storeOptions, ...interruption });
          await net.untilIndexed(KEY);
          const recipient = fresh(0x60 + i);
          const submission = net.post("/withdraw", await net.withdrawal(KEY, notes[i], { recipient }));
          await waitUntil(moment, () => reached);
          await net.relayer.close();
          await submission;
          await net.startRelayer(storeOptions);
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

Deno.test("messages of others and lost messages fail no withdrawal", async (t) => {
  await using scene = await startHeldBroadcasts();
  await t.step(
    "a forged withdrawal with the same nullifier hash changes nothing, and a payment by another wallet confirms",
    () => confirmsForeignPayment(scene),
  );
  await t.step(
    "a payment by another proof supersedes the withdrawal, and its status names the fee paid",
    () => supersedes(scene),
  );
  await t.step(
    "a transfer that the endpoint accepted and lost is signed again after its lifetime",
    () => signsAgain(scene),
  );
  await t.step(
    "a message that the pool refuses fails the withdrawal with the error's name, and a new submission must wait",
    () => failsByName(scene),
  );
  await t.step(
    "a root that only another replica has read does not expire its withdrawal, which is paid once this replica has read it",
    () => waitsForRoot(scene),
  );
  await t.step(
    "a withdrawal whose root left the history while it waited expires, and can be submitted again",
    () => expires(scene),
  );
});

async function confirmsForeignPayment({ net, frontRun, state, pool }: HeldBroadcasts): Promise<void> {
  const body = await net.withdrawal(KEY, frontRun, { recipient: fresh(0x70) });
  const submission = net.post("/withdraw", body);
  await waitUntil("the relayer tries to send", () => state.sends > 0);
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
  state.sending = "accepted"; // the relayer's message is second, and the pool refuses it with 202
  await waitUntil("the transfer has ended", async () => await net.store.transfer() === undefined);
  const { status, body: answer } = await submission;
  deepEqual([status, answer.state, answer.seqno], [202, "confirmed", null]); // another wallet paid it
  equal((await net.post("/withdraw/status", statusOf(net, frontRun))).body.state, "confirmed");
  equal((await net.chain.account(fresh(0x70))).balance, PAID);
}

async function supersedes({ state, net, selfRelayed, pool }: HeldBroadcasts): Promise<void> {
  state.sending = "held";
  const attempts = state.sends;
  const submission = net.post(
    "/withdraw",
    await net.withdrawal(KEY, selfRelayed, { recipient: fresh(0x74) }),
  );
  await waitUntil("the relayer tries to send", () => state.sends > attempts);
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
  state.sending = "accepted";
  await waitUntil("the transfer has ended", async () => await net.store.transfer() === undefined);
  equal((await submission).body.state, "superseded");
  const again = await net.post(
    "/withdraw",
    await net.withdrawal(KEY, selfRelayed, { recipient: fresh(0x74) }),
  );
  deepEqual([again.body.code, again.body.withdrawal.state], ["nullifier_already_used", "superseded"]);
  const payment = await net.store.withdrawal(pool.address.toRawString(), selfRelayed.nullifierHash);
  deepEqual([payment?.fee, payment?.txHash], [1n, done.txHash]);
}

async function signsAgain({ state, net, dropped }: HeldBroadcasts): Promise<void> {
  state.sending = "forgotten";
  const body = await net.withdrawal(KEY, dropped, { recipient: fresh(0x71) });
  const { status, body: sent } = await net.post("/withdraw", body);
  deepEqual([status, sent.state], [200, "broadcast"]);
  state.sending = "accepted";
  const { now } = await net.user.state();
  await net.localnet.setNow(now + 90);
  const done = await net.untilState(statusOf(net, dropped), "confirmed", "failed", "expired");
  equal(done.state, "confirmed");
  ok(done.messageHash !== sent.messageHash);
  equal((await net.chain.account(fresh(0x71))).balance, PAID);
}

async function failsByName({ state, net, poor, pool }: HeldBroadcasts): Promise<void> {
  state.quote = 20_000_000n;
  const body = await net.withdrawal(KEY, poor, { recipient: fresh(0x72) });
  await net.post("/withdraw", body);
  const done = await net.untilState(statusOf(net, poor), "confirmed", "failed", "expired");
  deepEqual([done.state, done.reason], ["failed", "ERR_INSUFFICIENT_VALUE"]);
  state.quote = undefined;
  const again = await net.post("/withdraw", body);
  deepEqual([again.status, again.body.code], [429, "retry_later"]);
  const wait = Number(again.headers.get("retry-after"));
  ok(wait > 0 && wait <= 30, String(wait));
  equal(await pool.getIsSpent(poor.nullifierHash), false);
}

async function waitsForRoot({ net, unseen, state }: HeldBroadcasts): Promise<void> {
  const poolState = net.relayer.pools().find(({ key }) => key === KEY)!;
  const body = await net.withdrawal(KEY, unseen, { recipient: fresh(0x74) });
  const { roots } = poolState;
  let acceptedAt = Infinity;
  let isHidden = false;
  state.onIsSpent = () => acceptedAt = Math.min(acceptedAt, Date.now());
  Object.defineProperty(poolState, "roots", {
    configurable: true,
    get() {
      isHidden = acceptedAt < Infinity && poolState.syncedAt < acceptedAt + 20;
      return isHidden ? [5n] : roots;
    },
    set: () => {},
  });
  const { status, body: answer } = await net.post("/withdraw", body);
  deepEqual([status, answer.state, isHidden], [200, "broadcast", false]);
  Object.defineProperty(poolState, "roots", { configurable: true, writable: true, value: roots });
  equal((await net.untilState(statusOf(net, unseen), "confirmed", "expired")).state, "confirmed");
}

async function expires({ net, stale, state, heldSlots }: HeldBroadcasts): Promise<void> {
  const poolState = net.relayer.pools().find(({ key }) => key === KEY)!;
  const body = await net.withdrawal(KEY, stale, { recipient: fresh(0x73) });
  const { roots } = poolState;
  // The root is checked before this query, and the broadcaster checks it again afterwards.
  let gone = false;
  state.onIsSpent = () => void (gone = true);
  Object.defineProperty(poolState, "roots", {
    configurable: true,
    get: () => gone ? [5n] : roots,
    set: () => {},
  });
  const before = heldSlots.size;
  const { status, body: answer } = await net.post("/withdraw", body);
  deepEqual([status, answer.state, answer.seqno], [202, "expired", null]);
  equal(heldSlots.size, before, "an expired withdrawal does not count against the hourly caps");
  Object.defineProperty(poolState, "roots", { configurable: true, writable: true, value: roots });
  equal((await net.post("/withdraw", body)).status, 200);
  equal((await net.untilState(statusOf(net, stale), "confirmed")).state, "confirmed");
  equal(heldSlots.size, before + 1, "a paid one does");
}

function statusOf(net: RelayerHarness, { nullifierHash }: Note) {
  return { pool: net.pool(KEY).address.toString(), nullifierHash: fieldToHex(nullifierHash) };
}
