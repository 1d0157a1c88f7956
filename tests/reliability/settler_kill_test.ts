/**
 * Eight wallets deposit into a version 2 pool at once, while the relayer that settles is killed with SIGKILL again and
 * again. `deno task test:deep` makes it many times as long.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { mnemonicNew } from "@ton/crypto";
import { toNano } from "@ton/core";
import { createNote } from "../../src/core/protocol/note.ts";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { MerkleTree } from "../../src/core/tree/merkle_tree.ts";
import type { PoolEvent } from "../../src/ton/pool/history/pool_events.ts";
import { scanPoolTransactions } from "../../src/ton/pool/history/scan.ts";
import { V2Pool } from "../../src/ton/pool/v2/pool.ts";
import { openWallet, type Wallet } from "../../src/ton/wallet/wallet.ts";
import { depth, seed } from "../../testkit/random/property_runs.ts";
import { SeededRandom } from "../../testkit/random/seeded_random.ts";
import { type RelayerProcess, startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";
import { RelayerHarness, waitUntil } from "../support/relayer/relayer_harness.ts";

const KEY = "native-10-v2";
const SENDERS = 8;
const DEPOSITS = 160 * depth;
const KILLS = 4 * depth;
const DEPOSITS_PER_TRANSFER = 5;
/** Of a settlement: the first ones of a life come seconds after its start. */
const LIFE_MS = { least: 2_000, most: 12_000 };
const SETTLED_WITHIN_MS = 120_000 * depth;

Deno.test("settler: 8 senders at once, and kill -9 of the relayer: each deposit is settled once, none is refused", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  const pool = new V2Pool(net.chain, net.pool(KEY).address);
  const wallets = await Promise.all(Array.from({ length: SENDERS }, () => openFundedWallet(net)));
  const random = new SeededRandom(seed);
  const began = performance.now();
  let deposited = false;
  let isDone = false;

  const paying = Promise.all(wallets.map((wallet) => deposit(pool, wallet, DEPOSITS / SENDERS)));
  const settling = keepKilling(net, random, () => isDone);
  const commitments = (await paying).flat();
  deposited = true;
  const end = performance.now() + SETTLED_WITHIN_MS;
  while (await pool.getSettled() < DEPOSITS) {
    ok(performance.now() < end, `${await pool.getSettled()} of ${DEPOSITS} deposits are settled`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  isDone = true;
  const kills = await settling;
  const seconds = (performance.now() - began) / 1000;

  const events = await readEvents(net, pool);
  const deposits = events.filter((event) => event.kind === "deposit");
  deepEqual(deposits.map(({ leafIndex }) => leafIndex), [...Array(DEPOSITS).keys()]);
  deepEqual(
    deposits.map(({ commitment }) => commitment).sort(compare),
    commitments.sort(compare),
    "every deposit, and no other",
  );
  const tree = new MerkleTree();
  const settlements = events.filter((event) => event.kind === "settlement");
  for (const { sender, end: settledEnd, newRoot } of settlements) {
    ok(sender.equals(net.localnet.relayer.address), "no depositor proved");
    tree.appendMany(deposits.slice(tree.size, settledEnd).map(({ commitment }) => commitment));
    equal(tree.root, newRoot);
  }
  equal(tree.size, DEPOSITS);
  const refused = events.filter((event) => event.kind === "refused");
  equal(refused.filter(({ op }) => op !== "settle").length, 0, "no deposit was refused");
  // Only a relayer that died before it saw its own settlement sends one again.
  ok(refused.length <= 8 * kills, `${refused.length} settlements came twice`);
  ok(deposited && kills >= KILLS, `${kills} kills`);
  console.log(
    `${DEPOSITS} deposits, ${settlements.length} settlements, ${refused.length} of them refused, ${kills} kills, ` +
      `${seconds.toFixed(0)} s`,
  );
});

const compare = (a: bigint, b: bigint) => a < b ? -1 : a > b ? 1 : 0;

async function openFundedWallet(net: RelayerHarness): Promise<Wallet> {
  const { chain, localnet } = net;
  const mnemonic = (await mnemonicNew()).join(" ");
  const wallet = await openWallet(mnemonic, { version: "v5R1", network: "localnet", chain });
  const total = BigInt(DEPOSITS / SENDERS) * net.pool(KEY).denomination;
  await localnet.fund(wallet.address, total + total / 100n + toNano(10));
  return wallet;
}

/** Pays half by op and half by comment. Returns the commitments. */
async function deposit(pool: V2Pool, wallet: Wallet, count: number): Promise<bigint[]> {
  const value = await pool.getDenomination();
  const commitments: bigint[] = [];
  while (commitments.length < count) {
    const part = Array.from(
      { length: Math.min(DEPOSITS_PER_TRANSFER, count - commitments.length) },
      () => createNote({ asset: "native", amount: "10", network: "localnet" }).commitment,
    );
    const seqno = await wallet.seqno();
    await wallet.send(
      part.map((commitment, i) =>
        i % 2 === 0
          ? pool.buildDepositMessage({ commitment, value })
          : pool.buildCommentDepositMessage({ commitment, value })
      ),
    );
    await waitUntil("the transfer is in a block", async () => await wallet.seqno() > seqno);
    commitments.push(...part);
  }
  return commitments;
}

/** Starts the relayer, kills it after a drawn time, and so on: at least `KILLS` times, and until `isDone`. */
async function keepKilling(
  net: RelayerHarness,
  random: SeededRandom,
  isDone: () => boolean,
): Promise<number> {
  const registry = `${net.directory}/registry.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
  const env = {
    RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
    RELAYER_NETWORK: "localnet",
    RELAYER_SETTLE: "eager",
    INDEXER_URL: net.localnet.url,
    RELAYER_DEPLOYMENTS: registry,
    RELAYER_DATA_DIR: `${net.directory}/data`,
    RELAYER_PORT: "0",
  };
  let kills = 0;
  while (kills < KILLS || !isDone()) {
    const relayer: RelayerProcess = await startRelayerProcess(env);
    const life = kills < KILLS ? random.int(LIFE_MS.least, LIFE_MS.most) : Infinity;
    const end = performance.now() + life;
    while (performance.now() < end && !(kills >= KILLS && isDone())) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await relayer.stop("SIGKILL");
    kills++;
  }
  return kills;
}

async function readEvents({ chain }: RelayerHarness, { address }: V2Pool): Promise<PoolEvent[]> {
  const events: PoolEvent[] = [];
  for await (const batch of scanPoolTransactions(chain, address)) events.push(...batch.events);
  return events;
}
