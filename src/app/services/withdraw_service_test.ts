/** The offers of a withdrawal, its progress, and resumed withdrawals, whose earlier proof may still be paid. */
import { en } from "../text/en.ts";
import { deepEqual, ok, rejects } from "node:assert/strict";
import { Address, type TupleItem, TupleReader } from "@ton/core";
import { createNoteRecord, type NoteRecord, type WithdrawalAttempt } from "../../client/notes/note_store.ts";
import type { Deployments } from "../../core/protocol/deployments.ts";
import { createNote, formatNote } from "../../core/protocol/note.ts";
import { ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import { entryOf } from "../vault/vault_content.ts";
import type { AppContext, Session } from "./context.ts";
import { withdrawServices } from "./withdraw_service.ts";

const address = new Address(0, Buffer.alloc(32, 1));
const note = createNote({ asset: "native", amount: "1", network: "testnet" });
const attemptWith = (root: bigint) =>
  ({
    ...{ relayer: "https://relayer.example", recipient: address.toRawString(), fee: "1", refund: "0", at: 1 },
    request: { proof: {}, publicSignals: [String(root), String(note.nullifierHash)] },
  }) as unknown as WithdrawalAttempt;

const storeOf = (record: NoteRecord, ...others: readonly NoteRecord[]) => ({
  list: () => Promise.resolve([record, ...others].map(entryOf)),
  reveal: () => Promise.resolve(record.note),
});

/** Follows a withdrawal that the relayer reports as failed, of a pool that accepts only the root 7. */
async function resume(withdrawal: WithdrawalAttempt, earlier: readonly WithdrawalAttempt[] = []) {
  const record = {
    ...createNoteRecord(formatNote(note), 1),
    state: "withdrawing" as const,
    withdrawal,
    earlier,
  };
  const roots = Array.from({ length: ROOT_HISTORY_SIZE }, (_, i): TupleItem => ({
    type: "int",
    value: i === 0 ? 7n : 0n,
  }));
  const isUnspent: TupleItem = { type: "int", value: 0n };
  const chain = {
    runGetMethod: (_pool: Address, method: string) =>
      Promise.resolve(
        new TupleReader([method === "get_root_history" ? { type: "tuple", items: roots } : isUnspent]),
      ),
  };
  const pools = new Map([["native-1", { asset: "native", amount: "1", address }]]);
  const context = {
    registry: { network: "testnet", pools } as unknown as Deployments,
    connections: () => ({ withdrawalEndpoint: "https://chain.example" }),
    connect: () => chain,
    pollIntervalMs: 1,
  } as unknown as AppContext;
  const free = { [Symbol.dispose]() {} };
  const store = { ...storeOf(record), lockForWork: () => Promise.resolve(free) };
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.resolve(Response.json({ state: "failed" }));
  try {
    const services = withdrawServices(context, { store } as unknown as Session);
    return await services.resume(record.id, new AbortController().signal, () => {});
  } finally {
    globalThis.fetch = fetch;
  }
}

Deno.test("a failed withdrawal keeps its recipient until the pool accepts the root of no earlier proof", async () => {
  const [known, old] = [attemptWith(7n), attemptWith(6n)];
  deepEqual(await resume(known), { type: "prove_again", isSubmitted: true });
  deepEqual(await resume(old, [known]), { type: "prove_again", isSubmitted: true });
  deepEqual(await resume(old, [old]), { type: "prove_again", isSubmitted: false });
});

const relayerWallet = `0:${"22".repeat(32)}`;
const jettonMaster = new Address(0, Buffer.alloc(32, 3));

/** Returns the services for a deposited note of a pool whose relayer has these terms. */
function servicesFor(
  asset: "native" | "jet",
  terms: { readonly feeMin?: string; readonly maxRefund?: string },
  { chainTime = 0, deviceTime = 0 } = {}, // Unix seconds
  sent: readonly WithdrawalAttempt[] = [], // of another note
) {
  const deposited = createNote({ asset, amount: "1", network: "testnet" });
  const record = {
    ...createNoteRecord(formatNote(deposited), 1),
    state: "deposited" as const,
    deposit: { leafIndex: 0, timestamp: 0, from: relayerWallet },
  };
  const pool = { asset, amount: "1", denomination: asset === "native" ? 10n ** 9n : 10n ** 6n, address };
  const listed = { ...pool, address: address.toRawString(), denomination: String(pool.denomination) };
  const responses: Record<string, unknown> = {
    "/status": { network: "testnet", feeBps: 50, feeMinNanoNative: "7", relayerAddress: relayerWallet },
    "/pools": { network: "testnet", pools: { [`${asset}-1`]: { ...listed, deployedSeqno: 1, ...terms } } },
  };
  const chain = {
    account: () => Promise.resolve({ state: "uninitialized", balance: 0n, syncUtime: chainTime }),
    runGetMethod: () => Promise.resolve(new TupleReader([{ type: "int", value: 5n }])),
  };
  const deployment = { ...pool, ...asset === "jet" && { decimals: 6, jettonMaster } };
  const context = {
    registry: {
      network: "testnet",
      pools: new Map([[`${asset}-1`, deployment]]),
    } as unknown as Deployments,
    connections: () => ({ withdrawalEndpoint: "https://c.example", relayers: ["https://r.example"] }),
    connect: () => chain,
    clock: { now: () => deviceTime * 1000, sleep: () => Promise.resolve() },
    artifacts: {
      subscribe(listener: (progress: { received: number; total: number }) => void) {
        for (const total of [0, 10]) listener({ received: total / 2, total });
        return () => {};
      },
    },
  } as unknown as AppContext;
  const other = { ...createNoteRecord(formatNote(note), 2), earlier: sent };
  const store = { ...storeOf(record, other), lockForWork: () => ({ [Symbol.dispose]() {} }) };
  const services = withdrawServices(context, { store } as unknown as Session);
  return { services, id: record.id, answer: (path: string) => Response.json(responses[path]) };
}

type Scene = ReturnType<typeof servicesFor>;

async function withRelayer<T>({ answer }: Scene, act: () => Promise<T>): Promise<T> {
  const { fetch } = globalThis;
  globalThis.fetch = (input) => Promise.resolve(answer(new URL(String(input)).pathname));
  try {
    return await act();
  } finally {
    globalThis.fetch = fetch;
  }
}

const recipient = new Address(0, Buffer.alloc(32, 9)).toRawString();
const { signal } = new AbortController();

async function review(scene: Scene, to = recipient) {
  const checking = { step: "checking", id: scene.id, recipient: to, isFailover: false } as const;
  const found = await withRelayer(scene, () => scene.services.review(checking as never, signal));
  ok(found.type === "reviewed");
  return found.review;
}

Deno.test("a jetton withdrawal asks for 0.05 TON for its recipient, or for what the relayer pays at most", async () => {
  for (
    const [asset, maxRefund, refund] of [
      ["jet", "50000001", 50_000_000n],
      ["jet", "49999999", 49_999_999n],
      ["native", "50000001", 0n],
    ] as const
  ) {
    const { offers } = await review(servicesFor(asset, { maxRefund }));
    deepEqual(offers.map((offer) => offer.refund), [refund]);
  }
});

Deno.test("a deposit is a day old only if both the chain and the device say so", async () => {
  const day = 24 * 3600;
  for (
    const [chainTime, deviceTime, isYoung] of [
      [day - 1, 2 * day, true], // the device's clock is ahead
      [2 * day, day - 1, true], // the endpoint lies
      [day, day, false],
    ] as const
  ) {
    const { offers: [{ warnings }] } = await review(servicesFor("native", {}, { chainTime, deviceTime }));
    deepEqual(warnings.some(({ code }) => code === "soon"), isYoung);
  }
});

Deno.test("an address that another note was sent to is warned about before the chain shows it", async () => {
  for (const [sentTo, isReused] of [[recipient, true], [address.toRawString(), false]] as const) {
    const scene = servicesFor("native", {}, {}, [{ ...attemptWith(7n), recipient: sentTo }]);
    const { offers: [{ warnings }] } = await review(scene);
    deepEqual(warnings.some(({ code }) => code === "recipient_reused"), isReused);
  }
});

Deno.test("a fee of more than a tenth of the amount is a high one, and no link to the deposit", async () => {
  for (
    const [feeMin, isHigh, share] of [
      ["99000000", false, "9.9 %"],
      ["100000000", false, "10 %"],
      ["100000001", true, "10 %"],
      ["999999999", true, "100 %"],
    ] as const
  ) {
    const { offers: [{ isFeeHigh, feeShare, warnings }] } = await review(servicesFor("native", { feeMin }));
    deepEqual([isFeeHigh, en.app.share(feeShare)], [isHigh, share]);
    deepEqual(warnings, (await review(servicesFor("native", {}))).offers[0].warnings);
  }
});

Deno.test("a recipient in a workchain that the pool does not pay is refused before anything is asked", async () => {
  const cases = [["native", 0, true], ["native", -1, true], ["native", 5, false], [
    "jet",
    -1,
    false,
  ]] as const;
  for (const [asset, workchain, isPayable] of cases) {
    const reviewed = review(
      servicesFor(asset, {}),
      new Address(workchain, Buffer.alloc(32, 9)).toRawString(),
    );
    await (isPayable ? reviewed : rejects(reviewed, { code: "invalid_address" }));
  }
});

Deno.test("a relayer that asks for the whole amount is no offer", async () => {
  const { offers } = await review(servicesFor("native", { feeMin: String(10 ** 9 - 1) }));
  deepEqual(offers.map(({ fee }) => fee), [10n ** 9n - 1n]);
  await rejects(review(servicesFor("native", { feeMin: String(10 ** 9) })), {
    code: "relayer_unavailable",
    message: /the whole amount/,
  });
});

Deno.test("the download of the keys has a fraction once its size is known", async () => {
  const scene = servicesFor("native", {});
  const sent: unknown[] = [];
  const offers = [{ url: "https://r.example", fee: 1n, refund: 0n }] as never;
  const withdrawing = withRelayer(
    scene,
    () => scene.services.withdraw(scene.id, recipient, offers, signal, (event) => sent.push(event)),
  );
  await rejects(withdrawing); // there are no pages
  deepEqual(sent, [
    { type: "progress", progress: { stage: "tree" } },
    { type: "progress", progress: { stage: "keys" } },
    { type: "progress", progress: { stage: "keys", fraction: 0.5 } },
  ]);
});
