/**
 * A local network with pools whose proofs cost milliseconds: real emulator, real contracts, real verification, with
 * verification keys whose secrets are known. So hundreds of notes go in and out in a minute.
 */
import { Address, Cell, contractAddress, toNano } from "@ton/core";
import { addressToField } from "../../src/core/address_field.ts";
import { type Deployment, type Deployments, formatDeployments, poolKey } from "../../src/core/deployments.ts";
import { toHex } from "../../src/core/field.ts";
import { MerkleTree } from "../../src/core/merkle_tree.ts";
import { createNote, type Note } from "../../src/core/note.ts";
import { proofFromCell } from "../../src/core/proof_codec.ts";
import { type Localnet, startLocalnet } from "../../src/localnet/localnet.ts";
import type { Chain } from "../../src/ton/chain.ts";
import { Pool } from "../../src/ton/pool.ts";
import { nativePoolInit } from "../../src/ton/pool_state.ts";
import { connect } from "../../src/ton/toncenter.ts";
import { openWallet, type Wallet, type WalletVersion } from "../../src/ton/wallet.ts";
import { trapdoorCode } from "../support/pool_sandbox.ts";
import { forgeProof } from "../support/trapdoor_keys.ts";
import { until } from "../support/until.ts";
import type { Random } from "../simulation/random.ts";
import { trapdoorVkeyHash, writeTrapdoorArtifacts } from "./trapdoor_artifacts.ts";

/** Fee of every withdrawal here, in nano. */
export const FEE = 60_000_000n;
const PATIENCE_MS = 300_000;
/** A wallet of v5R1 could send more at once; this keeps a transfer small. */
export const MOST_AT_ONCE = 16;

/** A note, where it lies, and to whom it goes. */
export interface PlacedNote {
  readonly key: string;
  readonly note: Note;
  readonly recipient: Address;
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

  /** Starts it with native pools of these denominations, in whole units. */
  static async start(
    { random, denominations, wallet = "v4R2", blockTimeMs = 300 }: {
      random: Random;
      denominations: readonly string[];
      /** Of the relayer. */
      wallet?: WalletVersion;
      blockTimeMs?: number;
    },
  ): Promise<ChaosNetwork> {
    const localnet = await startLocalnet({ blockTimeMs, pools: [] });
    try {
      const chain = connect({ endpoint: localnet.url });
      const { mnemonic, version } = localnet.wallets.find((wallet) => wallet.version === "v5R1")!;
      const user = await openWallet(mnemonic, { version, network: "localnet", chain });
      await localnet.fund(user.address, toNano(10_000_000));
      const relayer = await openWallet(localnet.relayer.mnemonic, {
        version: wallet,
        network: "localnet",
        chain,
      });
      await localnet.fund(relayer.address, toNano(100));
      const pools = await deploy(chain, user, denominations);
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
    const { asset, amount } = this.pool(key);
    const pool = this.contract(key);
    const tree = this.tree(key);
    const value = await pool.getDepositValue();
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
        placed.push({ key, note, recipient });
        return pool.depositMessage({ commitment, newRoot, leafIndex, proof, value });
      });
      const before = await this.user.seqno();
      await this.user.send(messages);
      await until(
        "the depositor's transfer is on chain",
        async () => await this.user.seqno() > before,
        PATIENCE_MS,
      );
      await until(
        `leaf ${tree.size - 1} of ${key}`,
        async () => await pool.getNextIndex() === tree.size,
        PATIENCE_MS,
      );
    }
    return placed;
  }

  /** The body of a withdrawal, proved against the pool's newest root. */
  withdrawal({ key, note, recipient }: PlacedNote) {
    const { root } = this.tree(key);
    const { nullifierHash } = note;
    const signals = [root, nullifierHash, addressToField(recipient), addressToField(this.relayer), FEE, 0n];
    return {
      pool: this.pool(key).address.toString(),
      proof: proofFromCell(forgeProof(signals)),
      publicSignals: signals.map(String),
      recipient: recipient.toString(),
      fee: String(FEE),
      refund: "0",
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

async function deploy(
  chain: Chain,
  wallet: Wallet,
  denominations: readonly string[],
): Promise<Map<string, Deployment>> {
  const code = await trapdoorCode();
  const pools = denominations.map((amount) => {
    const denomination = toNano(amount);
    const init = { code, data: nativePoolInit({ denomination, owner: null }).data };
    return { amount, denomination, init, address: contractAddress(0, init) };
  });
  await wallet.send(
    pools.map(({ address, init }) => ({
      to: address,
      value: toNano(3),
      bounce: false,
      init,
      body: Cell.EMPTY,
    })),
  );
  for (const { address } of pools) {
    await until("a pool stands", async () => (await chain.account(address)).state === "active", PATIENCE_MS);
  }
  const deployedSeqno = await chain.masterchainSeqno();
  return new Map(
    pools.map(({ amount, denomination, address }) => [poolKey({ asset: "native", amount }), {
      address,
      asset: "native",
      amount,
      denomination,
      deployedSeqno,
      codeHash: code.hash().toString("hex"),
      vkeyHash: trapdoorVkeyHash,
      owner: null,
    }]),
  );
}
