/**
 * The app's settlement on a local network with real proofs, without a browser: its reads, proofs and reports.
 */
import { Buffer } from "node:buffer";
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { createNoteRecord, type NoteRecord } from "../../../src/client/notes/note_store.ts";
import { poseidon } from "../../../src/core/crypto/poseidon.ts";
import { createNote, formatNote } from "../../../src/core/protocol/note.ts";
import { type Clock, systemClock } from "../../../src/core/time/clock.ts";
import { startLocalnet } from "../../../src/localnet/localnet.ts";
import { createProver } from "../../../src/prover/prover.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { V2Pool } from "../../../src/ton/pool/v2/pool.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import type { Offer, SettleEvent, SettleProgress } from "../../../src/app/flows/settle/settle_state.ts";
import type { Payer } from "../../../src/app/ports.ts";
import type { AppContext, Session } from "../../../src/app/services/context.ts";
import { entryOf } from "../../../src/app/vault/vault_content.ts";
import { settleServices } from "../../../src/app/services/settlement/settle_service.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";

const KEY = "native-10-v2";

/** Returns a clock that stands still, and moves forward instead of sleeping through a pause of the pool. */
function stoppedClock() {
  const start = systemClock.now();
  let slept = 0;
  const clock: Clock = {
    now: () => start + slept,
    async sleep(ms, signal) {
      if (ms < 1000) return await systemClock.sleep(ms, signal);
      slept += ms;
    },
  };
  return { clock, sleptMs: () => slept };
}

/** A network with a funded settler and its services, for the notes that `newNote` makes. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const { clock, sleptMs } = stoppedClock();
  const net = await startLocalnet({ blockTimeMs: 0, clock });
  const prover = await createProver({ maxWorkers: 2 });
  stack.defer(async () => {
    prover.close();
    await net.close();
  });
  const chain = connect({ network: "localnet", endpoint: net.url });
  const deployment = net.deployments.pools.get(KEY)!;
  const pool = new V2Pool(chain, deployment.address);
  const [depositor, settler] = await Promise.all(
    net.wallets.slice(0, 2).map(({ mnemonic, version }) =>
      openWallet(mnemonic, { version, network: "localnet", chain })
    ),
  );
  const records: NoteRecord[] = [];
  const context = {
    registry: net.deployments,
    clock,
    artifacts: { subscribe: () => () => {} },
    connections: () => ({ depositEndpoint: net.url }),
    connect: () => chain,
    prover: () => Promise.resolve(prover),
    pollIntervalMs: 5,
  } as unknown as AppContext;
  const locks = { held: 0, most: 0 };
  const lockForWork = () => {
    locks.most = Math.max(locks.most, ++locks.held);
    return Promise.resolve({ [Symbol.dispose]: () => void locks.held-- });
  };
  const store = { list: () => Promise.resolve(records.map(entryOf)), lockForWork };
  const session = { store } as unknown as Session;
  const deposit = async (commitment: bigint) => {
    const before = await pool.getNextIndex();
    await depositor.send([pool.buildCommentDepositMessage({ commitment, value: deployment.denomination })]);
    await waitUntil("the deposit is queued", async () => await pool.getNextIndex() > before);
  };
  const newNote = () => {
    const note = createNote({ asset: "native", amount: "10", network: "localnet", version: 2 });
    const record = { ...createNoteRecord(formatNote(note), 1), pool: deployment.address.toRawString() };
    records.push(record);
    return { id: record.id, commitment: note.commitment };
  };
  const payer = {
    name: "settler",
    address: settler.address,
    pay: async ({ to, amount, body }) => void await settler.send([{ to, value: amount, body, bounce: true }]),
    disconnect: () => Promise.resolve(),
  } satisfies Payer;
  const services = settleServices(context, session);
  await services.connect(
    { id: "s", name: "s", kind: "injected", connect: () => Promise.resolve(payer) },
    () => {},
    signal,
  );
  const open = stack.move();
  return {
    net,
    pool,
    services,
    payer,
    deposit,
    newNote,
    sleptMs,
    locks,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;
const { signal } = new AbortController();

const read = ({ services }: Scene, id: string) => services.read(id, { signal, onProgress: () => {} });

async function build({ services, payer }: Scene, offer: Offer, as: Payer = payer) {
  const stages: SettleProgress["stage"][] = [];
  const built = await services.build(offer, as, {
    signal,
    onProgress: ({ stage }) => void (stages.at(-1) !== stage && stages.push(stage)),
  });
  return { built, stages };
}

/** Returns what the watch reports until it has reported `count` events of the pool. */
async function watch({ services }: Scene, count: number): Promise<SettleEvent[]> {
  const end = new AbortController();
  const found: SettleEvent[] = [];
  const watching = services.watch(end.signal, (event) => {
    if (event.type === "settled" || event.type === "refused") found.push(event);
    if (found.length >= count) end.abort();
  });
  await watching.catch(() => {});
  return found;
}

Deno.test("the app's settlement on a network", async (t) => {
  await using scene = await openScene();
  const { deposit, newNote, pool, payer } = scene;

  await t.step("a note that was not paid is not settled", async () => {
    await rejects(read(scene, newNote().id), { code: "commitment_not_found" });
  });

  const note = newNote();
  await deposit(poseidon([1n, 7n]));
  await deposit(note.commitment);
  const offer = (await read(scene, note.id))!;

  await t.step("the offer names the note's leaf, the deposits and the price", () => {
    const { leafIndex, first, count, rounds, value, cost, reward } = offer;
    deepEqual([leafIndex, first, count, rounds], [1, 0, 2, 1]);
    ok(value > cost && cost > 0n && reward > 0n);
  });

  await t.step("a wallet with too little money is not asked", async () => {
    const poor = { ...payer, address: new Address(0, Buffer.alloc(32, 1)) };
    await rejects(build(scene, offer, poor), { code: "insufficient_funds" });
  });

  await t.step("the pool accepts the settlement from the wallet of the proof", async () => {
    const { built } = await build(scene, offer);
    equal(built!.message.amount, offer.value);
    await payer.pay(built!.message);
    deepEqual(await watch(scene, 1), [{ type: "settled", end: 2, isOwn: true }]);
    deepEqual(scene.locks, { held: 0, most: 1 }, "a watch excludes other tabs until it ends");
    equal(await read(scene, note.id), undefined, "the note's deposit is settled");
  });

  await t.step(
    "the next settlement waits for the pool's 30 s, and a second one of the same deposits is refused",
    async () => {
      const later = newNote();
      await deposit(later.commitment);
      const next = (await read(scene, later.id))!;
      const { built, stages } = await build(scene, next);
      deepEqual([stages.at(-1), scene.sleptMs() > 0], ["pause", true]);
      await payer.pay(built!.message);
      await waitUntil("it is settled", async () => await pool.getSettled() === 3);
      await payer.pay(built!.message);
      deepEqual(await watch(scene, 2), [
        { type: "settled", end: 3, isOwn: true },
        { type: "refused", isOvertaken: true },
      ]);
      equal((await build(scene, next)).built, undefined, "a proof of what is settled is not sent");
    },
  );

  await t.step("a deposit after a full chunk needs a second settlement", async () => {
    for (let i = 3; i < 16; i++) await deposit(poseidon([BigInt(i), 7n]));
    const last = newNote();
    await deposit(last.commitment);
    const { leafIndex, first, count, rounds } = (await read(scene, last.id))!;
    deepEqual([leafIndex, first, count, rounds], [16, 3, 13, 2]);
  });
});
