/**
 * Several wallets deposit into a version 2 pool of a local network, by message and by comment, while relayers
 * settle. First one relayer settles alone, and its speed is measured. Then several compete and are killed
 * with SIGKILL. At the end, the tree must contain each deposit exactly once, in the order of the queue, and
 * the pool's state must follow from its logs.
 */
import { deepEqual } from "node:assert/strict";
import { mnemonicNew } from "@ton/crypto";
import { toNano } from "@ton/core";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { type Deployments, formatDeployments } from "../../src/core/protocol/deployments.ts";
import { createNote } from "../../src/core/protocol/note.ts";
import { type Localnet, startLocalnet } from "../../src/localnet/localnet.ts";
import { auditPool } from "../../src/ops/audit/audit.ts";
import type { Chain } from "../../src/ton/chain.ts";
import { connect } from "../../src/ton/endpoint/toncenter.ts";
import { V2Pool } from "../../src/ton/pool/v2/pool.ts";
import { openWallet, type Wallet } from "../../src/ton/wallet/wallet.ts";
import { useTrapdoorKeys } from "../localnet/use_trapdoor_keys.ts";
import { waitUntil } from "../programs/wait_until.ts";
import type { SeededRandom } from "../random/seeded_random.ts";
import { type RelayerProcess, startRelayerProcess } from "../relayer/relayer_process.ts";
import { sendUntilAccepted } from "../wallet/accepted_transfer.ts";
import { type SettlementFigures, verifySettlements } from "./verify_settlements.ts";

interface SettlerPlan {
  readonly random: SeededRandom;
  readonly senders: number;
  /** The number of deposits while one relayer settles undisturbed. */
  readonly calmDeposits: number;
  /** The number of deposits while all relayers settle and are killed. */
  readonly deposits: number;
  /** The minimum number of kills, of all relayers together. */
  readonly kills: number;
  readonly settlers: number;
  readonly depositsPerTransfer: number;
  /** With `forged` proofs the pool has test keys with known secrets, so that a proof takes milliseconds. */
  readonly proofs: "real" | "forged";
  readonly onProgress?: (line: string) => void;
}

export interface SettlerReport extends SettlementFigures {
  readonly plan: SettlerPlan;
  readonly deposits: number;
  readonly seconds: number;
  /** The deposits per second that one undisturbed relayer settled. */
  readonly calmRate: number;
  readonly kills: number;
}

const POOL_KEY = "native-10-v2";
const BLOCK_TIME_MS = 200;
const POLL_MS = 200;
const ENDPOINT_TIMEOUT_MS = 60_000;
const TIMEOUT_MS = 3_600_000;
/** The time from a relayer's start to its kill. A relayer makes its first settlement only after seconds. */
const LIFE_MS = { min: 1_000, max: 12_000 };
/** The probability that a relayer is killed while it settles. */
const AT_WORK_CHANCE = 0.7;
/** The maximum time from such a relayer's first settlement to its kill. */
const AT_WORK_LIFE_MS = 3_000;
/** The maximum life of a relayer that makes no settlement. */
const MAX_IDLE_LIFE_MS = 60_000;
const RELAYER_COINS = toNano(1_000);
/** Throws if a deposit is lost, refused or settled twice, or if anything differs at the end. */
export async function runSettlerCampaign(plan: SettlerPlan): Promise<SettlerReport> {
  await using campaign = await SettlerCampaign.start(plan);
  return await campaign.run();
}

interface Settler {
  readonly wallet: Wallet;
  readonly env: Record<string, string>;
}

class SettlerCampaign implements AsyncDisposable {
  readonly #pool: V2Pool;
  #kills = 0;
  #isDone = false;

  private constructor(
    readonly plan: SettlerPlan,
    readonly localnet: Localnet,
    readonly deployments: Deployments,
    readonly chain: Chain,
    readonly directory: string,
    readonly senders: readonly Wallet[],
    readonly settlers: readonly Settler[],
  ) {
    this.#pool = new V2Pool(chain, deployments.pools.get(POOL_KEY)!.address);
  }

  static async start(plan: SettlerPlan): Promise<SettlerCampaign> {
    if (plan.proofs === "forged") await useTrapdoorKeys();
    const localnet = await startLocalnet({ blockTimeMs: BLOCK_TIME_MS });
    const chain = connect({ endpoint: localnet.url, timeoutMs: ENDPOINT_TIMEOUT_MS });
    const directory = await Deno.makeTempDir({ prefix: "tonado-settlers-" });
    const { deployments } = localnet;
    const registry = `${directory}/registry.json`;
    await Deno.writeTextFile(registry, formatDeployments(deployments));
    const { denomination } = deployments.pools.get(POOL_KEY)!;
    const shares = BigInt(Math.ceil((plan.calmDeposits + plan.deposits) / plan.senders));
    const senderCoins = shares * denomination * 101n / 100n + toNano(10);
    const fundedWallet = async (coins: bigint) => {
      const mnemonic = (await mnemonicNew()).join(" ");
      const wallet = await openWallet(mnemonic, { version: "v5R1", network: "localnet", chain });
      await localnet.fund(wallet.address, coins);
      return { wallet, mnemonic };
    };
    const senders: Wallet[] = [];
    for (let i = 0; i < plan.senders; i++) senders.push((await fundedWallet(senderCoins)).wallet);
    const settlers: Settler[] = [];
    for (let i = 0; i < plan.settlers; i++) {
      const { wallet, mnemonic } = await fundedWallet(RELAYER_COINS);
      const env = {
        RELAYER_WALLET_MNEMONIC: mnemonic,
        RELAYER_WALLET_VERSION: "v5R1",
        RELAYER_NETWORK: "localnet",
        RELAYER_SETTLE: "eager",
        INDEXER_URL: localnet.url,
        RELAYER_DEPLOYMENTS: registry,
        RELAYER_DATA_DIR: `${directory}/data-${i}`,
        RELAYER_PORT: "0",
      };
      settlers.push({ wallet, env });
    }
    return new SettlerCampaign(plan, localnet, deployments, chain, directory, senders, settlers);
  }

  async run(): Promise<SettlerReport> {
    const { plan } = this;
    const began = performance.now();
    const calm = await this.#settleCalmly();
    this.#report(`calm: ${calm.rate.toFixed(1)} deposits a second`);
    const total = plan.calmDeposits + plan.deposits;
    const killing = Promise.all(this.settlers.map((settler) => this.#keepKilling(settler)));
    const later = await this.#depositAll(plan.deposits);
    this.#report(`${total} deposits are in the queue or settled`);
    await this.#untilSettled(total);
    this.#isDone = true;
    await killing;
    const seconds = (performance.now() - began) / 1000;
    await this.#checkRelayer(total);
    await this.#checkPool();
    const commitments = [...calm.commitments, ...later];
    const settlers = this.settlers.map(({ wallet }) => wallet.address);
    const figures = await verifySettlements(this.chain, this.#pool.address, commitments, settlers);
    return { plan, deposits: total, seconds, calmRate: calm.rate, kills: this.#kills, ...figures };
  }

  /** Audits the pool: compares the stored queue, roots and spent set with the logs. */
  async #checkPool(): Promise<void> {
    const { checks } = await auditPool({
      chain: this.chain,
      network: "localnet",
      address: this.#pool.address,
      registry: this.deployments,
    });
    deepEqual(checks.filter(({ verdict }) => verdict === "failed"), []);
  }

  /** Starts a relayer from the sources, with the keys that the plan chooses. */
  async #startRelayer({ env }: Settler): Promise<RelayerProcess> {
    return await startRelayerProcess(env);
  }

  async #settleCalmly(): Promise<{ commitments: bigint[]; rate: number }> {
    const { calmDeposits } = this.plan;
    const relayer = await this.#startRelayer(this.settlers[0]);
    try {
      const paying = this.#depositAll(calmDeposits);
      await waitUntil("the first settlement", async () => await this.#pool.getSettled() > 0, TIMEOUT_MS);
      const [start, first] = [performance.now(), await this.#pool.getSettled()];
      await this.#untilSettled(calmDeposits);
      const rate = (calmDeposits - first) / ((performance.now() - start) / 1000);
      return { commitments: await paying, rate };
    } finally {
      await relayer.stop("SIGTERM");
    }
  }

  async #untilSettled(count: number): Promise<void> {
    let reported = 0;
    await waitUntil(`${count} deposits are settled`, async () => {
      const settled = await this.#pool.getSettled();
      if (settled >= reported + 1_000) {
        this.#report(`${reported = settled} are settled, ${this.#kills} kills`);
      }
      return settled >= count;
    }, TIMEOUT_MS);
  }

  async #depositAll(count: number): Promise<bigint[]> {
    const { senders } = this;
    const shares = senders.map((_, i) =>
      Math.floor(count / senders.length) + (i < count % senders.length ? 1 : 0)
    );
    return (await Promise.all(senders.map((wallet, i) => this.#deposit(wallet, shares[i])))).flat();
  }

  /** Deposits half by op and half by comment. Returns the commitments. */
  async #deposit(wallet: Wallet, count: number): Promise<bigint[]> {
    const value = await this.#pool.getDenomination();
    const commitments: bigint[] = [];
    while (commitments.length < count) {
      const size = Math.min(this.plan.depositsPerTransfer, count - commitments.length);
      const part = Array.from(
        { length: size },
        () => createNote({ asset: "native", amount: "10", network: "localnet" }).commitment,
      );
      await sendUntilAccepted(
        this.chain,
        wallet,
        part.map((commitment, i) =>
          i % 2 === 0
            ? this.#pool.buildDepositMessage({ commitment, value })
            : this.#pool.buildCommentDepositMessage({ commitment, value })
        ),
      );
      commitments.push(...part);
    }
    return commitments;
  }

  /**
   * Repeatedly starts a relayer and kills it, mostly while it settles, until all deposits are settled and all
   * kills are done.
   */
  async #keepKilling(settler: Settler): Promise<void> {
    const isOver = () => this.#isDone && this.#kills >= this.plan.kills;
    while (!isOver()) {
      const settled = await this.#pool.getSettled();
      const relayer = await this.#startRelayer(settler);
      const start = performance.now();
      const { random } = this.plan;
      const atWork = random.chance(AT_WORK_CHANCE);
      let end = start + (atWork ? MAX_IDLE_LIFE_MS : random.int(LIFE_MS.min, LIFE_MS.max));
      const mustDie = () => this.#kills < this.plan.kills;
      for (let worked = false; !isOver() && (performance.now() < end || !mustDie());) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        if (!atWork || worked || await this.#pool.getSettled() === settled) continue;
        [worked, end] = [true, performance.now() + random.int(0, AT_WORK_LIFE_MS)];
      }
      await relayer.stop("SIGKILL");
      this.#kills++;
    }
  }

  /**
   * Checks that a relayer that was killed repeatedly serves the pool's own tree, and that its store is
   * consistent.
   */
  async #checkRelayer(count: number): Promise<void> {
    const relayer = await this.#startRelayer(this.settlers[0]);
    const pool = encodeURIComponent(this.#pool.address.toString());
    const root = fieldToHex(await this.#pool.getCurrentRoot());
    try {
      await waitUntil("the relayer serves the whole tree", async () => {
        const tree = await relayer.request(`/tree/root?pool=${pool}`);
        const page = await relayer.request(`/tree/commitments?pool=${pool}&from=${count - 1}`);
        return tree.root === root && page.commitments?.length === 1 && page.pending?.length === 0;
      }, TIMEOUT_MS);
    } finally {
      await relayer.stop("SIGTERM");
    }
  }

  #report(line: string): void {
    this.plan.onProgress?.(line);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.localnet.close();
    await Deno.remove(this.directory, { recursive: true });
  }
}
