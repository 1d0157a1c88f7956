/**
 * A local network with pools whose proofs take milliseconds: the emulator, contracts and verification are
 * real, and the secrets of the verification keys are known. It can deposit and withdraw hundreds of notes in
 * a minute.
 */
import { Address, toNano } from "@ton/core";
import { addressToField } from "../../src/core/protocol/messages/address_field.ts";
import { type Deployment, type Deployments, formatDeployments } from "../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { MerkleTree } from "../../src/core/tree/merkle_tree.ts";
import { createNote, type Note } from "../../src/core/protocol/note.ts";
import { proofFromCell } from "../../src/core/crypto/proof_codec.ts";
import type { Localnet } from "../../src/localnet/localnet.ts";
import type { Chain } from "../../src/ton/chain.ts";
import { fetchJettonWalletAddress } from "../../src/ton/jetton/jetton.ts";
import { Pool } from "../../src/ton/pool/pool.ts";
import { connect } from "../../src/ton/endpoint/toncenter.ts";
import { openWallet, type Wallet, type WalletVersion } from "../../src/ton/wallet/wallet.ts";
import { forgeProof } from "../chain/trapdoor_keys.ts";
import { waitUntil } from "../programs/wait_until.ts";
import type { SeededRandom } from "../random/seeded_random.ts";
import { sendUntilAccepted } from "../wallet/accepted_transfer.ts";
import { startTestLocalnet } from "./test_localnet.ts";
import { useTrapdoorKeys } from "./use_trapdoor_keys.ts";

/** The fee of a withdrawal of coins in nano, without the refund. */
const NATIVE_FEE = 60_000_000n;
/** The fee of a withdrawal of jettons is the denomination divided by this number. */
const JETTON_FEE_PART = 100n;
/** The nano for a recipient. In native pools the fee pays it, in jetton pools the relayer. */
const REFUND = 20_000_000n;
/** Probability of a refund. */
const REFUND_CHANCE = 0.3;
const TIMEOUT_MS = 600_000;
/** The depositor's endpoint is this process, which runs the emulator, too. */
const ENDPOINT_TIMEOUT_MS = 60_000;
/** A v5R1 wallet can send more messages at once. This limit keeps transfers small. */
const MAX_MESSAGES_PER_TRANSFER = 16;

/** A deposited note and the parameters of its withdrawal. */
export interface DepositedNote {
  readonly key: string;
  readonly note: Note;
  /** A recipient that only this note has. */
  readonly recipient: Address;
  /** The fee in the pool's asset. */
  readonly fee: bigint;
  /** The refund in nano. */
  readonly refund: bigint;
}

/** A running network. */
export class TrapdoorNetwork implements AsyncDisposable {
  readonly #trees = new Map<string, MerkleTree>();

  private constructor(
    readonly localnet: Localnet,
    /** An endpoint without faults, for the depositor. */
    readonly chain: Chain,
    readonly deployments: Deployments,
    /** The folder of the registry and other files. It ends with a slash. */
    readonly directory: string,
    readonly registry: string,
    readonly random: SeededRandom,
    readonly user: Wallet,
    /** The relayer's wallet, with coins. */
    readonly relayerWallet: Wallet,
  ) {}

  /** Starts a network with pools of these registry keys: `native-<amount>` or `jet-<amount>`. */
  static async start(
    { random, pools: keys, wallet = "v4R2", blockTimeMs = 300 }: {
      random: SeededRandom;
      pools: readonly string[];
      /** The version of the relayer's wallet. */
      wallet?: WalletVersion;
      blockTimeMs?: number;
    },
  ): Promise<TrapdoorNetwork> {
    await useTrapdoorKeys();
    const [native, jettons] = [keys.filter((key) => !isJettonKey(key)), keys.filter(isJettonKey)];
    const localnet = await startTestLocalnet({
      blockTimeMs,
      pools: native.map(amountOf),
      jettonPools: jettons.map(amountOf),
    });
    try {
      const chain = connect({ endpoint: localnet.url, timeoutMs: ENDPOINT_TIMEOUT_MS });
      const { mnemonic, version } = localnet.wallets.find((wallet) => wallet.version === "v5R1")!;
      const user = await openWallet(mnemonic, { version, network: "localnet", chain });
      await localnet.fund(user.address, toNano(10_000_000));
      const relayer = await openWallet(localnet.relayer.mnemonic, {
        version: wallet,
        network: "localnet",
        chain,
      });
      await localnet.fund(relayer.address, toNano(100));
      const { deployments } = localnet;
      const directory = `${await Deno.makeTempDir({ prefix: "tonado-chaos-" })}/`;
      const registry = `${directory}registry.json`;
      await Deno.writeTextFile(registry, formatDeployments(deployments));
      return new TrapdoorNetwork(localnet, chain, deployments, directory, registry, random, user, relayer);
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

  /** Returns the tree of the pool's leaves that this depositor knows. */
  tree(key: string): MerkleTree {
    const tree = this.#trees.get(key) ?? new MerkleTree();
    this.#trees.set(key, tree);
    return tree;
  }

  /** Deposits new notes and waits until the pool has accepted them. */
  async deposit(key: string, count: number): Promise<DepositedNote[]> {
    const { asset, amount, denomination } = this.pool(key);
    const isJetton = this.isJetton(key);
    const pool = this.contract(key);
    const tree = this.tree(key);
    const value = await pool.getDepositValue();
    const owner = this.user.address;
    const from = isJetton
      ? {
        owner,
        jettonWallet: await fetchJettonWalletAddress(this.chain, this.localnet.jetton.master, owner),
      }
      : undefined;
    const placed: DepositedNote[] = [];
    for (let left = count; left > 0; left -= MAX_MESSAGES_PER_TRANSFER) {
      const messages = Array.from({ length: Math.min(left, MAX_MESSAGES_PER_TRANSFER) }, () => {
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
          ? pool.buildJettonDepositMessage({
            ...deposit,
            ...from,
            amount: denomination,
            forwardAmount: value,
          })
          : pool.buildDepositMessage({ ...deposit, value });
      });
      await sendUntilAccepted(this.chain, this.user, messages);
      await waitUntil(
        `leaf ${tree.size - 1} of ${key}`,
        async () => await pool.getNextIndex() === tree.size,
        TIMEOUT_MS,
      );
    }
    return placed;
  }

  /** Returns the body of a withdrawal, with a proof for the pool's newest root. */
  withdrawalBody({ key, note, recipient, fee, refund }: DepositedNote) {
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

  /** Returns the query of a note's withdrawal status. */
  statusQuery({ key, note }: DepositedNote): { pool: string; nullifierHash: string } {
    return { pool: this.pool(key).address.toString(), nullifierHash: fieldToHex(note.nullifierHash) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.localnet.close();
    await Deno.remove(this.directory, { recursive: true });
  }
}

const isJettonKey = (key: string) => key.startsWith("jet-");
const amountOf = (key: string) => key.slice(key.indexOf("-") + 1);
