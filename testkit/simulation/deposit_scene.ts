/** A version 1 pool whose log a test writes, on a clock that advances only during waits. */
import { Address, Cell } from "@ton/core";
import { storeDeposit } from "../../src/core/protocol/messages/pool_messages.ts";
import type { Clock } from "../../src/core/time/clock.ts";
import { MerkleTree } from "../../src/core/tree/merkle_tree.ts";
import type { Prover } from "../../src/prover/prover.ts";
import type { Chain, ChainTransaction } from "../../src/ton/chain.ts";
import type { Pool } from "../../src/ton/pool/pool.ts";
import { forgeDepositLog, forgeTransaction } from "./forged_history.ts";
import { internalMessage, transactionOf } from "./transactions.ts";

interface SceneRefusal {
  readonly commitment: bigint;
  readonly leafIndex: number;
  readonly exitCode: number;
  readonly sender: Address;
}

/** A deposit of a commitment, or a payment that the pool returns. */
type SceneEvent = bigint | SceneRefusal;

const GENESIS_SECONDS = 1_700_000_000;
const address = new Address(0, Buffer.alloc(32, 7));
const genesis = { id: { lt: 0n, hash: "0".repeat(64) }, now: GENESIS_SECONDS } as ChainTransaction;

export class DepositScene {
  now = 0;
  /** The seconds by which the device's clock is ahead of the chain's. */
  skewSeconds = 0;
  #made: readonly ChainTransaction[] = [];
  readonly #events: (readonly [atMs: number, event: SceneEvent])[] = [];
  readonly clock: Clock = {
    now: () => this.now,
    sleep: (ms) => (this.now += ms, Promise.resolve()),
  };
  readonly chain = {
    account: () => Promise.resolve({ last: this.#history()[0].id, syncUtime: this.chainTime }),
    transactions: (_address: Address, { from, limit }: { from?: { hash: string }; limit: number }) => {
      const start = this.#history().findIndex(({ id }) => id.hash === from?.hash);
      return Promise.resolve(this.#history().slice(start, start + limit));
    },
  } as unknown as Chain;
  readonly pool = {
    address,
    chain: this.chain,
    getPoolInfo: () =>
      Promise.resolve({ assetKind: "native", version: 1, jettonMaster: null, jettonWallet: null }),
    getDenomination: () => Promise.resolve(10_000_000_000n),
    getTreeSize: () => Promise.resolve(this.#tree().size),
    getRootHistory: () => Promise.resolve([this.#tree().root]),
    buildDepositMessage: () => ({ to: address, value: 10_000_000_000n, body: Cell.EMPTY }),
  } as unknown as Pool;
  readonly prover = {
    proveDeposit: () => Promise.resolve({ proof: {}, publicSignals: [] }),
  } as unknown as Prover;
  readonly source = { commitments: (from: number) => this.#commitments(from) };

  /** Returns the Unix seconds of the newest block. */
  get chainTime(): number {
    return GENESIS_SECONDS + Math.floor(this.now / 1000) - this.skewSeconds;
  }

  /** Adds an event to the pool's log at a time of the scene. */
  at(ms: number, event: SceneEvent): void {
    this.#events.push([ms, event]);
  }

  #arrived(): SceneEvent[] {
    return this.#events.filter(([ms]) => ms <= this.now).sort(([a], [b]) => a - b).map(([, event]) => event);
  }

  #deposits(): bigint[] {
    return this.#arrived().filter((event) => typeof event === "bigint");
  }

  async *#commitments(from: number) {
    yield await Promise.resolve(this.#deposits().slice(from));
  }

  #tree(): MerkleTree {
    const tree = new MerkleTree();
    tree.appendMany(this.#deposits());
    return tree;
  }

  /** Returns the transactions, newest first. */
  #history(): readonly ChainTransaction[] {
    const count = this.#arrived().length;
    if (this.#made.length !== count + 1) this.#made = this.#forgeHistory();
    return this.#made;
  }

  #forgeHistory(): ChainTransaction[] {
    const made = [{ ...forgeTransaction(address, genesis, undefined), prev: null } as ChainTransaction];
    let leafIndex = 0;
    for (const event of this.#arrived()) {
      const tip = made[made.length - 1];
      made.push(
        typeof event === "bigint"
          ? forgeTransaction(address, tip, forgeDepositLog(event, leafIndex++, 5))
          : forgeRefusal(tip, event),
      );
    }
    return made.reverse();
  }
}

function forgeRefusal(
  tip: ChainTransaction,
  { commitment, leafIndex, exitCode, sender }: SceneRefusal,
): ChainTransaction {
  const [lt, now] = [tip.id.lt + 1_000n, tip.now + 5];
  const body = storeDeposit({ queryId: 0n, commitment, newRoot: 1n, leafIndex, proof: Cell.EMPTY });
  return transactionOf({
    account: address,
    lt,
    prev: tip.id,
    now,
    exitCode,
    outMessages: [],
    inMessage: internalMessage({ src: sender, dest: address, value: 1n, lt: lt - 1n, now, body }),
  });
}
