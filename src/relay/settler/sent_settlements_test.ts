import { deepEqual } from "node:assert/strict";
import { Address, beginCell, Cell, type OutActionSendMsg } from "@ton/core";
import { baseProof } from "../../../testkit/simulation/requests.ts";
import type { Transfer } from "../../store/store.ts";
import type { Chain, ChainTransaction } from "../../ton/chain.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import { openWallet, type WalletVersion } from "../../ton/wallet/wallet.ts";
import { findSentSettlements } from "./sent_settlements.ts";
import { SENT_TIMEOUT_MS } from "./settlements.ts";

const MNEMONIC = `${"abandon ".repeat(23)}art`;
const address = new Address(0, Buffer.alloc(32, 7));
const pool = new V2Pool({} as Chain, address);
const settle = (start: number, end: number) =>
  pool.buildSettleMessage({ queryId: BigInt(start), end, newRoot: 5n, proof: baseProof, value: 1n });
const other = { to: address, value: 1n, bounce: true, body: beginCell().storeUint(0, 32).endCell() };
const { signal } = new AbortController();
const sent = (...spans: [number, number][]) =>
  spans.map(([start, end]) => ({ pool: address.toRawString(), start, end }));

/** An account whose transactions, newest first, sent these messages at these times. */
function historyOf(
  ...transactions: { readonly now: number; readonly messages: OutActionSendMsg["outMsg"][] }[]
) {
  const all = transactions.map(({ now, messages }, i) => ({
    id: { lt: BigInt(100 - i), hash: String(i) },
    prev: i + 1 < transactions.length ? { lt: BigInt(99 - i), hash: String(i + 1) } : null,
    now,
    raw: { outMessages: { values: () => messages } },
  })) as unknown as ChainTransaction[];
  return {
    account: () => Promise.resolve({ last: all[0]?.id }),
    transactions: (_: Address, { from }: { from: { lt: bigint } }) =>
      Promise.resolve(all.filter(({ id }) => id.lt <= from.lt).slice(0, 1)),
  } as unknown as Chain;
}

for (const version of ["v4R2", "v5R1"] satisfies WalletVersion[]) {
  Deno.test(`settlements in a journaled transfer are found: ${version}`, async () => {
    const chain = historyOf();
    const wallet = await openWallet(MNEMONIC, { version, network: "localnet", chain });
    const { message } = wallet.sign({
      seqno: 3,
      validUntil: 1_700_000_000,
      messages: [settle(0, 16), other, settle(16, 20)],
    });
    const store = { transfer: () => Promise.resolve({ boc: new Uint8Array(message.toBoc()) } as Transfer) };
    const found = await findSentSettlements({ store, chain, wallet }, signal);
    deepEqual(found.toSorted((a, b) => a.start - b.start), sent([0, 16], [16, 20]));
  });
}

Deno.test("settlements of the wallet's last two minutes are found, whether or not the pool has answered", async () => {
  const out = (start: number, end: number) =>
    ({
      info: { type: "internal", dest: address, bounce: true, value: { coins: 1n } },
      body: settle(start, end).body,
    }) as never;
  const late = SENT_TIMEOUT_MS / 1000;
  const chain = historyOf(
    { now: 1_000, messages: [out(32, 48)] },
    { now: 950, messages: [] },
    { now: 1_000 - late, messages: [out(16, 32)] },
    { now: 999 - late, messages: [out(0, 16)] },
  );
  const wallet = { address: new Address(0, Buffer.alloc(32, 2)) };
  const found = await findSentSettlements(
    { store: { transfer: () => Promise.resolve(undefined) }, chain, wallet },
    signal,
  );
  deepEqual(found, sent([32, 48], [16, 32]));
});

Deno.test("a wallet without transactions has sent nothing", async () => {
  const wallet = { address: new Address(0, Buffer.alloc(32, 2)) };
  const store = { transfer: () => Promise.resolve({ boc: new Uint8Array(Cell.EMPTY.toBoc()) } as Transfer) };
  deepEqual(await findSentSettlements({ store, chain: historyOf(), wallet }, signal), []);
});
