/** Transfers of the largest messages, against the limits of the wallet and of the network. */
import { deepEqual, ok } from "node:assert/strict";
import { Address, beginCell, Cell, loadMessage, toNano } from "@ton/core";
import { Blockchain } from "@ton/sandbox";
import { defaultConfig } from "@ton/sandbox/dist/config/defaultConfig.js";
import { loadConfigParamsAsSlice } from "@ton/ton/dist/config/ConfigParser.js";
import { storeWithdraw } from "../../core/protocol/messages/pool_messages.ts";
import { settlementEnd, type SettlementInput } from "../../core/tree/settlement.ts";
import { V2_POOL_CAPACITY } from "../../core/protocol/v2/pool_constants.ts";
import { fullPool } from "../../../testkit/chain/v2/full_pool.ts";
import { countCells } from "../../../testkit/chain/pool_storage.ts";
import { mainnetConfig } from "../../localnet/mainnet_config.ts";
import type { Job } from "../../store/store.ts";
import type { Chain } from "../../ton/chain.ts";
import { fetchNetworkPrices } from "../../ton/network_prices.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import { MAX_EXTERNAL_MESSAGE_BYTES, openWallet } from "../../ton/wallet/wallet.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { MAX_AHEAD, Settlements } from "../settler/settlements.ts";
import { TopUps } from "../top_ups/top_ups.ts";
import { MAX_JOBS_PER_TRANSFER } from "./due_jobs.ts";
import { maxTransferFee, roomAfter } from "./transfer_size.ts";
import { buildWithdrawMessages, type PayableJob } from "./withdraw_messages.ts";

const chain = {} as Chain; // building and signing do not use the network
/** Defaults of the network's parameter 43, which mainnet does not set. */
const MAX_EXTERNAL_MESSAGE_DEPTH = 512;
const MAX_MESSAGE_CELLS = 8_192;
const MAX_MESSAGE_BITS = 2 ** 21;
const MOST = 2n ** 120n - 1n;
const { state: { spent }, drawKey } = fullPool();

const openRelayerWallet = () =>
  openWallet("zebra ".repeat(23) + "abandon", { version: "v5R1", network: "mainnet", chain });

/** A proof none of whose cells equals one of another proof. */
function proofOf(n: number): Cell {
  const bits = (count: number) => beginCell().storeUint((1n << BigInt(count - 1)) + BigInt(n), count);
  return bits(768).storeRef(bits(767).storeBit(1).endCell()).endCell();
}

Deno.test("100 of the largest withdrawals of version 1 fit in one external message", async () => {
  const wallet = await openRelayerWallet();
  const address = (i: number) => new Address(-1, Buffer.alloc(32, i));
  const messages = Array.from({ length: MAX_JOBS_PER_TRANSFER }, (_, i) => ({
    to: address(i),
    value: MOST,
    bounce: true,
    body: storeWithdraw({
      queryId: BigInt(i),
      root: 2n ** 254n,
      nullifierHash: 2n ** 254n,
      fee: MOST,
      refund: MOST,
      recipient: address(i),
      relayer: wallet.address,
      proof: proofOf(i),
    }),
  }));
  const { message } = wallet.sign({ seqno: 0, validUntil: 2 ** 31, messages });
  const { length } = message.toBoc();
  ok(length <= MAX_EXTERNAL_MESSAGE_BYTES, `${length} bytes`);
});

/** A pool of 2^20 notes. */
function poolOf(n: number): PoolState {
  const address = new Address(-1, Buffer.alloc(32, n + 1));
  const settledPool = { spent, size: V2_POOL_CAPACITY - 1_024, rootNumber: () => 2 ** 32 - 1 };
  return { id: address.toRawString(), deployment: { address }, settledPool } as unknown as PoolState;
}

function withdrawals(pool: PoolState, count: number, change: Partial<Job> = {}): PayableJob[] {
  return Array.from({ length: count }, (_, n) => {
    const recipient = new Address(-1, Buffer.alloc(32, n)).toRawString();
    const message = { recipient, proof: proofOf(n).toBoc().toString("base64") };
    const amounts = { root: 2n ** 254n, fee: MOST, refund: MOST };
    const job = { pool: pool.id, nullifierHash: drawKey(), queryId: 2n ** 63n + BigInt(n), message };
    return { job: { ...job, ...amounts, ...change } as Job, pool, value: MOST / 128n };
  });
}

/** As many settlements as the settler prepares for each pool. */
function prepared(pools: readonly PoolState[]): Settlements {
  const settlements = new Settlements({ isLeader: true, term: 1 });
  settlements.restore([], { term: 1, now: 0 });
  for (const [p, pool] of pools.entries()) {
    for (let n = 0; n < MAX_AHEAD; n++) {
      const start = pool.settledPool!.size + 16 * n;
      const input = { span: BigInt(start * 512 + 16) } as SettlementInput;
      const message = new V2Pool(chain, pool.deployment.address).buildSettleMessage({
        newRoot: 2n ** 254n + BigInt(100 * p + n),
        end: settlementEnd(input),
        proof: proofOf(1_000 + 100 * p + n),
        value: MOST,
        queryId: BigInt(start),
      });
      ok(settlements.add(pool, { input, message }));
    }
  }
  return settlements;
}

/** Builds a transfer as the broadcaster does, with the jobs and the settlements that fit. */
async function transferOf(pools: readonly PoolState[], jobs: readonly PayableJob[]) {
  const wallet = await openRelayerWallet();
  const built = buildWithdrawMessages(jobs, { chain, wallet });
  const messages = built.map(({ message }) => message);
  const room = roomAfter(messages, wallet);
  const settlements = prepared(pools).take(new Map(pools.map((pool) => [pool.id, pool])), room, 0);
  // The first transfer of a wallet also carries the wallet's code.
  const { message } = wallet.sign({ seqno: 0, validUntil: 2 ** 31, messages: [...messages, ...settlements] });
  return {
    external: message,
    bodies: [...messages, ...settlements].map(({ body }) => body!),
    withdrawals: built.flatMap((each) => each.jobs).length,
    settlements: settlements.length,
  };
}

const cases = [
  { pools: 1, shared: true, settlements: 8 },
  { pools: 1, shared: false, settlements: 8 },
  { pools: 3, shared: true },
  { pools: 8, shared: true },
  { pools: 8, shared: false },
  { pools: 40, shared: false, withdrawals: 0 },
];

for (const { pools: count, shared, settlements, withdrawals: expected } of cases) {
  const jobs = expected ?? MAX_JOBS_PER_TRANSFER;
  const what = `${jobs} withdrawals, ${
    shared ? "batched" : "one by one"
  }, and 8 settlements of ${count} pools`;
  Deno.test(`${what}: what fits is one transfer that wallet and network accept`, async () => {
    const pools = Array.from({ length: count }, (_, n) => poolOf(n));
    const change = shared ? {} : { attempts: 1 };
    const each = Math.ceil(jobs / count);
    const transfer = await transferOf(pools, pools.flatMap((pool) => withdrawals(pool, each, change)));
    const { length } = transfer.external.toBoc();
    ok(length <= MAX_EXTERNAL_MESSAGE_BYTES, `${length} bytes`);
    ok(length > MAX_EXTERNAL_MESSAGE_BYTES * 0.8, `only ${length} bytes are used`);
    ok(transfer.external.depth() <= MAX_EXTERNAL_MESSAGE_DEPTH, `depth ${transfer.external.depth()}`);
    for (const body of transfer.bodies) {
      const { cells, bits } = countCells(body);
      ok(cells < MAX_MESSAGE_CELLS && bits < MAX_MESSAGE_BITS, `${cells} cells, ${bits} bits`);
    }
    ok(transfer.withdrawals >= Math.min(jobs, 40), `${transfer.withdrawals} withdrawals`);
    ok(transfer.settlements >= MAX_AHEAD, `${transfer.settlements} settlements`);
    if (settlements !== undefined) deepEqual(transfer.settlements, settlements);
  });
}

const bodyOf = (n: number, cells: number): Cell => {
  let body = beginCell().storeUint(n, 1023).endCell();
  for (let i = 1; i < cells; i++) body = beginCell().storeUint(n, 1023).storeRef(body).endCell();
  return body;
};
const CONFIGS = { mainnet: mainnetConfig().toBoc().toString("base64"), "before 2026": defaultConfig };
/** Messages of a transfer: their number, and the cells of each body. */
const TRANSFERS = [
  ["v5R1", 1, 0],
  ["v5R1", 255, 0],
  ["v5R1", 10, 40],
  ["v5R1", 3, 140],
  ["v5R1", 120, 3],
  ["v4R2", 1, 0],
  ["v4R2", 4, 100],
] as const;
for (const [period, config] of Object.entries(CONFIGS)) {
  Deno.test(`top-ups leave the wallet its stop balance, whatever the transfer's size: prices of ${period}`, async () => {
    const params = loadConfigParamsAsSlice(config);
    const prices = await fetchNetworkPrices({
      configParam: (id) => Promise.resolve(params.get(id)!.asCell()),
    });
    for (const [version, count, cells] of TRANSFERS) {
      const wallet = await openWallet("zebra ".repeat(23) + "abandon", {
        version,
        network: "mainnet",
        chain,
      });
      const blockchain = await Blockchain.create({ config: Cell.fromBase64(config) });
      const to = new Address(0, Buffer.alloc(32, 7));
      const others = Array.from({ length: count - 1 }, (_, i) => ({
        to,
        value: toNano("0.1") + BigInt(i), // no message equals another
        bounce: false,
        body: cells > 0 ? bodyOf(i, cells) : beginCell().endCell(),
      }));
      const topUp = { to, value: toNano(1), bounce: false };
      const stop = toNano(2);
      const fee = maxTransferFee([...others, topUp], prices);
      const enough = stop + fee + others.reduce((sum, { value }) => sum + value, topUp.value);
      for (const balance of [enough - 1n, enough]) {
        const topUps = new TopUps({ isLeader: true, term: 1 }, {
          current: () => Promise.resolve(balance),
          thresholds: { warn: stop, stop },
        }, { getPrices: () => Promise.resolve(prices) });
        topUps.add(
          { id: "0:07", key: "a", deployment: { address: to } } as unknown as PoolState,
          topUp.value,
          1,
        );
        const taken = await topUps.take(others, roomAfter(others, wallet));
        deepEqual(taken.length, balance === enough ? 1 : 0);
      }
      const funder = await blockchain.treasury("funder");
      await funder.send({ to: wallet.address, value: enough + toNano(1), bounce: false });
      const before = (await blockchain.getContract(wallet.address)).balance;
      const messages = [...others, topUp];
      const { message } = wallet.sign({ seqno: 0, validUntil: 2 ** 32 - 1, messages });
      const { transactions } = await blockchain.sendMessage(loadMessage(message.beginParse()));
      deepEqual(transactions[0].outMessagesCount, count);
      const after = (await blockchain.getContract(wallet.address)).balance;
      const spent = before - after - messages.reduce((sum, { value }) => sum + value, 0n);
      ok(
        spent <= fee && fee < 3n * spent + toNano("0.03"),
        `${version} ${count} of ${cells}: ${spent}, at most ${fee}`,
      );
    }
  });
}
