/**
 * Reads the chain from the endpoint's JSON and decodes it by `contracts/v1/types.tlb`. It shares no code with
 * the relayer's readers, so that both cannot have the same mistake.
 */
import { type Address, beginCell, Cell, loadTransaction, type Transaction } from "@ton/core";

/** The op codes of contracts/v1/types.tlb. */
const op = { withdraw: 0x12b4e521, depositLog: 0x10570ca8, withdrawalLog: 0x230a8cd5 };
const PAGE = 100;

/** A transaction and its identifier. */
interface ReadTransaction {
  readonly lt: bigint;
  readonly hash: string;
  readonly raw: Transaction;
}

/** A deposit in the pool's log. */
interface ReadDeposit {
  readonly leafIndex: number;
  readonly commitment: bigint;
  readonly timestamp: number;
  readonly txHash: string;
}

/** A payment in the pool's log. Amounts are in nano. */
interface ReadWithdrawal {
  readonly nullifierHash: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
  readonly recipient: Address;
  readonly timestamp: number;
  readonly txHash: string;
}

/** The history of a pool. */
interface ReadPool {
  readonly deposits: readonly ReadDeposit[];
  readonly withdrawals: readonly ReadWithdrawal[];
  /** Query ids of the withdraw messages from `wallet`, including rejected ones, in order. */
  readonly queryIds: readonly bigint[];
  readonly last: { readonly lt: bigint; readonly hash: string };
  readonly root: bigint;
}

/** An account's totals, in nano. */
interface AccountTotals {
  readonly balance: bigint;
  /** The balance that results from its transactions. */
  readonly sum: bigint;
  /** The number of outgoing messages, by raw destination. */
  readonly sentTo: ReadonlyMap<string, number>;
  /** The received nano, by raw source. */
  readonly received: ReadonlyMap<string, bigint>;
}

/** Reads from the endpoint at `url`. */
export class ChainReader {
  constructor(readonly url: string) {}

  /** Reads the history of `pool`. `wallet` is the relayer's. */
  async pool(pool: Address, wallet: Address): Promise<ReadPool> {
    const history = await this.history(pool);
    const [deposits, withdrawals, queryIds]: [ReadDeposit[], ReadWithdrawal[], bigint[]] = [[], [], []];
    for (const { hash: txHash, raw } of history) {
      const { inMessage, now: timestamp } = raw;
      if (
        inMessage?.info.type === "internal" && !inMessage.info.bounced && inMessage.info.src.equals(wallet)
      ) {
        const body = inMessage.body.beginParse();
        if (body.remainingBits >= 96 && body.loadUint(32) === op.withdraw) {
          queryIds.push(body.loadUintBig(64));
        }
      }
      if (!succeeded(raw)) continue;
      for (const { info, body } of raw.outMessages.values()) {
        if (info.type !== "external-out") continue;
        const log = body.beginParse();
        const kind = log.loadUint(32);
        if (kind === op.depositLog) {
          const commitment = log.loadUintBig(256);
          deposits.push({ commitment, leafIndex: log.loadUint(32), timestamp, txHash });
        } else if (kind === op.withdrawalLog) {
          const nullifierHash = log.loadUintBig(256);
          const [fee, refund] = [log.loadCoins(), log.loadCoins()];
          const recipient = log.loadRef().beginParse().loadAddress();
          withdrawals.push({ nullifierHash, fee, refund, recipient, timestamp, txHash });
        }
      }
    }
    const { lt, hash } = history.at(-1)!;
    const [[, root]] = await this.#get(pool, "getCurrentRoot");
    return { deposits, withdrawals, queryIds, last: { lt, hash }, root: BigInt(root as string) };
  }

  /** Sums up an account from its first transaction on. */
  async accountTotals(account: Address): Promise<AccountTotals> {
    let sum = 0n;
    const sentTo = new Map<string, number>();
    const received = new Map<string, bigint>();
    for (const { raw } of await this.history(account)) {
      const source = raw.inMessage?.info;
      if (source?.type === "internal") {
        sum += source.value.coins;
        const from = source.src.toRawString();
        received.set(from, (received.get(from) ?? 0n) + source.value.coins);
      }
      sum -= raw.totalFees.coins;
      for (const { info } of raw.outMessages.values()) {
        if (info.type !== "internal") continue;
        sum -= info.value.coins + info.forwardFee + info.ihrFee;
        const to = info.dest.toRawString();
        sentTo.set(to, (sentTo.get(to) ?? 0) + 1);
      }
    }
    return { balance: await this.balance(account), sum, sentTo, received };
  }

  /** Returns the balance in nano. */
  async balance(account: Address): Promise<bigint> {
    return BigInt((await this.#call("getAddressInformation", { address: account.toString() })).balance);
  }

  /** Returns the jettons of `owner`, in the smallest unit. */
  async jettons(master: Address, owner: Address): Promise<bigint> {
    const requests = beginCell().storeAddress(owner).endCell().toBoc().toString("base64");
    const [[, cell]] = await this.#get(master, "get_wallet_address", [["tvm.Slice", requests]]);
    const wallet = Cell.fromBase64((cell as { bytes: string }).bytes).beginParse().loadAddress();
    const { state } = await this.#call("getAddressInformation", { address: wallet.toString() });
    if (state !== "active") return 0n;
    const [[, balance]] = await this.#get(wallet, "get_wallet_data");
    return BigInt(balance as string);
  }

  /** Returns all transactions of an account, oldest first. */
  async history(account: Address): Promise<ReadTransaction[]> {
    const found: ReadTransaction[] = [];
    for (let from = {};;) {
      const rows: { data: string; transaction_id: { lt: string; hash: string } }[] = await this.#call(
        "getTransactions",
        { address: account.toString(), limit: PAGE, ...from },
      );
      for (const { data, transaction_id: { lt, hash } } of found.length > 0 ? rows.slice(1) : rows) {
        const raw = loadTransaction(Cell.fromBase64(data).beginParse());
        found.push({ lt: BigInt(lt), hash: Buffer.from(hash, "base64").toString("hex"), raw });
      }
      if (rows.length < PAGE) return found.reverse();
      from = rows.at(-1)!.transaction_id;
    }
  }

  async #get(account: Address, method: string, stack: unknown[] = []): Promise<[string, unknown][]> {
    return (await this.#call("runGetMethod", { address: account.toString(), method, stack })).stack;
  }

  // deno-lint-ignore no-explicit-any
  async #call(method: string, params: Record<string, unknown>): Promise<any> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: "1", jsonrpc: "2.0", method, params }),
    });
    const answer = await response.json();
    if (!answer.ok) throw new Error(`${method}: ${answer.error}`);
    return answer.result;
  }
}

function succeeded({ description }: Transaction): boolean {
  return description.type === "generic" && !description.aborted;
}
