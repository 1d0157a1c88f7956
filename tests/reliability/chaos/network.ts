/**
 * A local network with pools whose proofs cost milliseconds: real emulator, real contracts, real verification, with
 * verification keys whose secrets are known. So hundreds of notes go in and out in a minute.
 */
import { Address, toNano } from "@ton/core";
import { addressToField } from "../../../src/core/address_field.ts";
import { type Deployment, type Deployments, formatDeployments } from "../../../src/core/deployments.ts";
import { Problem } from "../../../src/core/errors.ts";
import { toHex } from "../../../src/core/field.ts";
import { MerkleTree } from "../../../src/core/merkle_tree.ts";
import { createNote, type Note } from "../../../src/core/note.ts";
import { proofFromCell } from "../../../src/core/proof_codec.ts";
import { type Localnet, startLocalnet } from "../../../src/localnet/localnet.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import { jettonWalletAddress } from "../../../src/ton/jetton.ts";
import { Pool } from "../../../src/ton/pool.ts";
import { connect } from "../../../src/ton/toncenter.ts";
import {
  openWallet,
  type OutgoingMessage,
  TRANSFER_LIFE,
  type Wallet,
  type WalletVersion,
} from "../../../src/ton/wallet.ts";
import { forgeProof } from "../../support/trapdoor_keys.ts";
import { until } from "../../support/until.ts";
import type { Random } from "../simulation/random.ts";
import { deployPools } from "./pools.ts";
import { writeTrapdoorArtifacts } from "./trapdoor_artifacts.ts";

/** Of a withdrawal of coins, in nano; what it refunds comes on top. */
const NATIVE_FEE = 60_000_000n;
/** Of a withdrawal of jettons: this part of the denomination. */
const JETTON_FEE_PART = 100n;
/** Nano for a recipient's first steps: in native pools paid by the fee, of jetton pools the relayer's gift. */
const REFUND = 20_000_000n;
/** Probability that a withdrawal wants one. */
const REFUND_CHANCE = 0.3;
const PATIENCE_MS = 600_000;
/** The depositor's own endpoint is this process, which has the emulator to run. */
const ANSWER_MS = 60_000;
/** A wallet of v5R1 could send more at once; this keeps a transfer small. */
export const MOST_AT_ONCE = 16;

/** A note, where it lies, and how it is withdrawn. */
export interface PlacedNote {
  readonly key: string;
  readonly note: Note;
  /** Of this note alone. */
  readonly recipient: Address;
  /** In the pool's asset. */
  readonly fee: bigint;
  /** Nano. */
  readonly refund: bigint;
}

/** A running network. */
export class ChaosNetwork implements AsyncDisposable {
  readonly #trees = new Map<string, MerkleTree>();

  private constructor(
    readonly localnet: Localnet,
    /** Straight to the chain: a depositor has an endpoint of his own. */
    readonly chain: Chain,
    readonly deployments: Deployments,
    /** Of the registry, the keys, and whatever else a run writes; ends in a slash. */
    readonly directory: string,
    readonly registry: string,
    readonly random: Random,
    readonly user: Wallet,
    /** The relayer's; funded. */
    readonly relayerWallet: Wallet,
  ) {}

  /** Starts it with pools of these registry keys: `native-<amount>` or `jet-<amount>`. */
  static async start(
    { random, pools: keys, wallet = "v4R2", blockTimeMs = 300 }: {
      random: Random;
      pools: readonly string[];
      /** Of the relayer. */
      wallet?: WalletVersion;
      blockTimeMs?: number;
    },
  ): Promise<ChaosNetwork> {
    const localnet = await startLocalnet({ blockTimeMs, pools: [] });
    try {
      const chain = connect({ endpoint: localnet.url, timeoutMs: ANSWER_MS });
      const { mnemonic, version } = localnet.wallets.find((wallet) => wallet.version === "v5R1")!;
      const user = await openWallet(mnemonic, { version, network: "localnet", chain });
      await localnet.fund(user.address, toNano(10_000_000));
      const relayer = await openWallet(localnet.relayer.mnemonic, {
        version: wallet,
        network: "localnet",
        chain,
      });
      await localnet.fund(relayer.address, toNano(100));
      const pools = await deployPools({ chain, wallet: user, jetton: localnet.jetton, keys });
      const deployments: Deployments = { network: "localnet", pools };
      const directory = `${await Deno.makeTempDir({ prefix: "tonado-chaos-" })}/`;
      const registry = `${directory}registry.json`;
      await Deno.writeTextFile(registry, formatDeployments(deployments));
      await writeTrapdoorArtifacts(directory);
      return new ChaosNetwork(localnet, chain, deployments, directory, registry, random, user, relayer);
    } catch (error) {
      await localnet.close();
      throw error;
    }
  }

  get keys(): string[] {
    return [...this.deployments.pools.keys()];
  }

  get relayer(): Address {
    return this.relayerWallet.address;
  }

  pool(key: string): Deployment {
    return this.deployments.pools.get(key)!;
  }

  isJetton(key: string): boolean {
    return this.pool(key).jettonMaster !== undefined;
  }

  contract(key: string): Pool {
    return new Pool(this.chain, this.pool(key).address);
  }

  /** The leaves that the pool has taken, as this depositor knows them. */
  tree(key: string): MerkleTree {
    const tree = this.#trees.get(key) ?? new MerkleTree();
    this.#trees.set(key, tree);
    return tree;
  }

  /** Deposits fresh notes and waits until the pool has taken them. */
  async deposit(key: string, count: number): Promise<PlacedNote[]> {
    const { asset, amount, denomination } = this.pool(key);
    const isJetton = this.isJetton(key);
    const pool = this.contract(key);
    const tree = this.tree(key);
    const value = await pool.getDepositValue();
    const owner = this.user.address;
    const from = isJetton
      ? { owner, wallet: await jettonWalletAddress(this.chain, this.localnet.jetton.master, owner) }
      : undefined;
    const placed: PlacedNote[] = [];
    for (let left = count; left > 0; left -= MOST_AT_ONCE) {
      const messages = Array.from({ length: Math.min(left, MOST_AT_ONCE) }, () => {
        const note = createNote(
          { asset, amount, network: "localnet" },
          (bytes) => void this.random.fill(bytes),
        );
        const recipient = new Address(0, Buffer.from(this.random.fill(new Uint8Array(32))));
        const [leafIndex, prevRoot] = [tree.size, tree.root];
        const { commitment } = note;
        tree.append(commitment);
        const newRoot = tree.root;
        const proof = proofFromCell(forgeProof([prevRoot, newRoot, commitment, BigInt(leafIndex)]));
        const refund = this.random.chance(REFUND_CHANCE) ? REFUND : 0n;
        const fee = isJetton ? denomination / JETTON_FEE_PART : NATIVE_FEE + refund;
        placed.push({ key, note, recipient, fee, refund });
        const deposit = { commitment, newRoot, leafIndex, proof };
        return from
          ? pool.jettonDepositMessage({ ...deposit, ...from, amount: denomination, forward: value })
          : pool.depositMessage({ ...deposit, value });
      });
      await this.#include(messages);
      await until(
        `leaf ${tree.size - 1} of ${key}`,
        async () => await pool.getNextIndex() === tree.size,
        PATIENCE_MS,
      );
    }
    return placed;
  }

  /** Sends a transfer until it is on chain: on a slow machine one may be over before it is included. */
  async #include(messages: readonly OutgoingMessage[]): Promise<void> {
    const { seqno: before } = await this.user.state();
    for (let isIncluded = false; !isIncluded;) {
      const { now: sentAt } = await this.user.state();
      await this.user.send(messages).catch(unlessRepeated); // of the same seqno: one of them at most gets in
      await until("the depositor's transfer is on chain, or over", async () => {
        const { seqno, now } = await this.user.state();
        isIncluded = seqno > before;
        return isIncluded || now > sentAt + 2 * TRANSFER_LIFE;
      }, PATIENCE_MS);
    }
  }

  /** The body of a withdrawal, proved against the pool's newest root. */
  withdrawal({ key, note, recipient, fee, refund }: PlacedNote) {
    const { root } = this.tree(key);
    const { nullifierHash } = note;
    const parties = [addressToField(recipient), addressToField(this.relayer)];
    const signals = [root, nullifierHash, ...parties, fee, refund];
    return {
      pool: this.pool(key).address.toString(),
      proof: proofFromCell(forgeProof(signals)),
      publicSignals: signals.map(String),
      recipient: recipient.toString(),
      fee: String(fee),
      refund: String(refund),
    };
  }

  /** What names the withdrawal of a note. */
  query({ key, note }: PlacedNote): { pool: string; nullifierHash: string } {
    return { pool: this.pool(key).address.toString(), nullifierHash: toHex(note.nullifierHash) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.localnet.close();
    await Deno.remove(this.directory, { recursive: true });
  }
}

/** A send whose answer is late is made again, and refused when the first one has moved the seqno: that is waited for. */
function unlessRepeated(error: unknown): void {
  if (!(error instanceof Problem) || error.code !== "contract_refused") throw error;
}
