/**
 * A localnet on which one pool has any number of deposits: the pool's transactions and roots are recorded, everything
 * else is the localnet's answer. Real deposits in this number would take a day of proofs.
 */
import { Address, beginCell } from "@ton/core";
import type { Deployments } from "../../../src/core/protocol/deployments.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../../src/core/tree/merkle_tree.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { type LocalWallet, startLocalnet } from "../../../src/localnet/localnet.ts";
import type { TransactionId } from "../../../src/ton/chain.ts";
import { serializeStack } from "../../../src/ton/endpoint/stack_json.ts";
import { TreeWorkers } from "../../../src/tree/tree_workers.ts";
import { LeafBatcher } from "../../../src/tree/leaf_batcher.ts";
import { internalMessage, logMessage, transactionOf } from "../../../testkit/simulation/transactions.ts";

const KEY = "native-1";
const LT_STEP = 10n;
const STARTED = 1_700_000_000;

export interface RecordedChain {
  readonly url: string;
  readonly deployments: Deployments;
  readonly pool: Address;
  readonly relayer: LocalWallet;
  readonly tree: MerkleTree;
  /** The pool's newest transaction. */
  readonly newest: TransactionId;
  close(): Promise<void>;
}

/** A transaction in the endpoint's form. */
interface Row {
  readonly data: string;
  readonly transaction_id: { readonly lt: string; readonly hash: string };
}

/** Returns the commitment of leaf `i`. Any field element works. */
export function commitmentOf(i: number): bigint {
  return (BigInt(i) + 1n) * 0x1234_5678_9abc_def0_1234_5678_9abc_def1n ** 2n % 2n ** 254n;
}

/**
 * Starts the chain with `count` deposits.
 *
 * @param whole whether every transaction can be queried, not only the newest one. 2^17 of them take a minute to
 * create.
 */
export async function startRecordedChain(count: number, { whole = false } = {}): Promise<RecordedChain> {
  const localnet = await startLocalnet({ blockTimeMs: 1_000, pools: ["1"] });
  const pool = localnet.deployments.pools.get(KEY)!.address;
  const tree = await treeOf(count);
  const rows = recordTransactions(pool, localnet.wallets[0].address, count, whole);
  const stack = serializeStack([{
    type: "tuple",
    items: Array.from({ length: ROOT_HISTORY_SIZE }, (_, i) => ({
      type: "int" as const,
      value: i === 0 ? tree.root : 0n,
    })),
  }]);
  const result = (method: string, params: Record<string, string>): unknown => {
    if (typeof params.address !== "string" || !Address.parse(params.address).equals(pool)) return undefined;
    if (method === "runGetMethod" && params.method === "get_root_history") return { exit_code: 0, stack };
    if (method !== "getTransactions") return undefined;
    const at = params.lt === undefined
      ? rows.length
      : Number(BigInt(params.lt) / LT_STEP) - (count - rows.length);
    return rows.slice(Math.max(0, at - Number(params.limit)), at).reverse();
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const body = await request.text();
    const { id, method, params } = JSON.parse(body);
    const answer = result(method, params);
    if (answer !== undefined) return Response.json({ ok: true, result: answer, jsonrpc: "2.0", id });
    const headers = { "content-type": "application/json" };
    return await fetch(localnet.url, { method: "POST", headers, body });
  });
  const { lt, hash } = rows[rows.length - 1].transaction_id;
  return {
    url: `http://127.0.0.1:${server.addr.port}/api/v2/jsonRPC`,
    deployments: localnet.deployments,
    pool,
    relayer: localnet.relayer,
    tree,
    newest: { lt: BigInt(lt), hash: Buffer.from(hash, "base64").toString("hex") },
    async close() {
      await server.shutdown();
      await localnet.close();
    },
  };
}

async function treeOf(count: number): Promise<MerkleTree> {
  const tree = new MerkleTree();
  const workers = new TreeWorkers();
  const leaves = new LeafBatcher(tree, workers);
  for (let i = 0; i < count; i++) await leaves.add(commitmentOf(i));
  await leaves.flush();
  workers.close();
  return tree;
}

/** Returns the pool's transactions, oldest first, one deposit each. */
function recordTransactions(pool: Address, depositor: Address, count: number, whole: boolean): Row[] {
  const rows: Row[] = [];
  let prev: TransactionId | null = null;
  for (let i = whole ? 0 : count - 1; i < count; i++) {
    const lt = BigInt(i + 1) * LT_STEP;
    const now = STARTED + i;
    const body = beginCell().storeUint(opCodes.deposit, 32).storeUint(i, 64).endCell();
    const log = beginCell().storeUint(opCodes.deposit_log, 32).storeUint(commitmentOf(i), 256)
      .storeUint(i, 32).storeUint(now, 32).endCell();
    const { id, raw } = transactionOf({
      account: pool,
      lt,
      prev: prev ?? (i > 0 ? { lt: lt - LT_STEP, hash: "00".repeat(32) } : null),
      now,
      inMessage: internalMessage({
        src: depositor,
        dest: pool,
        value: 1_100_000_000n,
        lt: lt - 1n,
        now,
        body,
      }),
      outMessages: [logMessage(pool, lt + 1n, now, log)],
      exitCode: 0,
    });
    rows.push({
      data: raw.raw.toBoc().toString("base64"),
      transaction_id: { lt: String(lt), hash: Buffer.from(id.hash, "hex").toString("base64") },
    });
    prev = id;
  }
  return rows;
}
