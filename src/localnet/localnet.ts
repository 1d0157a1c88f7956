/**
 * A TON network in this process: blocks over the real transaction emulator with mainnet's prices, behind the HTTP API
 * that public endpoints speak, with funded wallets and deployed pools. What runs against it runs unchanged against a
 * live network; nothing else may depend on it.
 */
import { Address, type Cell, type Message, toNano } from "@ton/core";
import { type Deployment, type Deployments, poolKey } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import { parseUnits } from "../core/units.ts";
import { deployPools, type PoolSpec } from "../ops/deploy.ts";
import type { Chain } from "../ton/chain.ts";
import { connect } from "../ton/toncenter.ts";
import { openWallet, type WalletVersion } from "../ton/wallet.ts";
import { BlockClock } from "./block_clock.ts";
import { deployerKey, type DevelopmentKey, relayerKey, userKeys } from "./development_keys.ts";
import { loadEmulator } from "./emulator.ts";
import { jettonFromNowhere, jettonsFromNowhere, localJetton, localJettonMaster } from "./jetton.ts";
import { Ledger } from "./ledger.ts";
import { mainnetConfig } from "./mainnet_prices.ts";
import { coinsFromNowhere } from "./mint.ts";
import { handle } from "./server.ts";

/** How to start a localnet. */
export interface LocalnetOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Milliseconds from block to block; default 1000. 0: a block closes as soon as a message waits. */
  readonly blockTimeMs?: number;
  /** The chain's configuration; default mainnet's prices. */
  readonly prices?: Cell;
  /** Denominations of the native pools, in whole units; default 0.1, 1 and 10. */
  readonly pools?: readonly string[];
  /** Of the jetton pools; default 10, and none where `pools` is given. */
  readonly jettonPools?: readonly string[];
  readonly signal?: AbortSignal;
  /** Told of failures inside the localnet itself; default: the console. */
  readonly onError?: (error: unknown) => void;
}

/** A funded wallet. Its mnemonic is public knowledge. */
export interface LocalWallet {
  readonly mnemonic: string;
  readonly version: WalletVersion;
  readonly address: Address;
}

/** The jetton that everybody has here. */
export interface LocalJetton {
  /** Its identifier in notes and in the registry. */
  readonly asset: string;
  readonly decimals: number;
  readonly master: Address;
}

/** A running localnet. */
export interface Localnet {
  /** Ends in `/api/v2/jsonRPC`: what TonClient takes as `endpoint`. */
  readonly url: string;
  /** At least 4, with 10,000 TON each, of both versions. */
  readonly wallets: readonly LocalWallet[];
  /** With 1,000 TON. */
  readonly relayer: LocalWallet;
  /** With 1,000,000 units of it in each of `wallets`. */
  readonly jetton: LocalJetton;
  readonly deployments: Deployments;
  /** Credits nano that nobody sent. */
  fund(address: Address, value: bigint): Promise<void>;
  /** Mints the jetton's smallest unit to an owner. */
  fundJetton(owner: Address, amount: bigint): Promise<void>;
  /** Closes a block now. */
  closeBlock(): Promise<void>;
  /** Sets the chain's clock ahead, unix time; it goes on from there. */
  setNow(now: number): Promise<void>;
  close(): Promise<void>;
}

const genesis: readonly [DevelopmentKey, bigint][] = [
  [deployerKey, toNano(1_000_000)],
  [relayerKey, toNano(1_000)],
  ...userKeys.map((key): [DevelopmentKey, bigint] => [key, toNano(10_000)]),
];
const JETTONS = parseUnits("1000000", localJetton.decimals);
/** Of the operator's policy on every pool here: what a recipient needs for its first steps. */
const MAX_REFUND = toNano("0.1");

/** Starts a localnet: listening, funded, the pools deployed through its own endpoint. */
export async function startLocalnet(options: LocalnetOptions = {}): Promise<Localnet> {
  const { port = 0, host = "127.0.0.1", blockTimeMs = 1000, pools = ["0.1", "1", "10"] } = options;
  const { jettonPools = options.pools ? [] : ["10"] } = options;
  // deno-lint-ignore no-console
  const onError = options.onError ?? ((error) => console.error("localnet:", error));
  options.signal?.throwIfAborted();

  const executor = await loadEmulator();
  const config = options.prices ?? mainnetConfig();
  const ledger = new Ledger({ executor, config, now: Math.floor(Date.now() / 1000) });
  const clock = new BlockClock(ledger, onError);

  const serving = new AbortController();
  const server = listen({ hostname: host, port, signal: serving.signal }, async (request) => {
    await clock.settle();
    const response = await handle(ledger, request, onError);
    await clock.settle();
    return response;
  });
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${server.addr.port}/api/v2/jsonRPC`;

  async function end(): Promise<void> {
    options.signal?.removeEventListener("abort", close);
    await clock.stop();
    serving.abort(); // not server.shutdown(): before Deno 2.5 that waits minutes for idle connections
    await server.finished;
  }
  let ended: Promise<void> | undefined;
  const close = () => ended ??= end();

  async function inject(...messages: Message[]): Promise<void> {
    for (const message of messages) await ledger.inject(message);
    await clock.closeBlock();
  }

  try {
    const wallets = userKeys.map(published);
    await inject(
      ...genesis.map(([key, value]) => coinsFromNowhere(Address.parse(key.address), value, clock.now)),
      jettonFromNowhere(clock.now),
      ...wallets.map(({ address }) => jettonsFromNowhere(address, JETTONS, clock.now)),
    );
    const deployments = await deployAll(connect({ network: "localnet", endpoint: url }), [
      ...pools.map((amount) => ({ asset: "native", amount, owner: null })),
      ...jettonPools.map((amount) => ({ asset: jetton.asset, amount, owner: null, jetton })),
    ]);
    clock.start(blockTimeMs);
    options.signal?.addEventListener("abort", close, { once: true });
    return {
      url,
      wallets,
      relayer: published(relayerKey),
      jetton,
      deployments,
      fund: (address, value) => inject(coinsFromNowhere(address, value, clock.now)),
      fundJetton: (owner, amount) => inject(jettonsFromNowhere(owner, amount, clock.now)),
      closeBlock: () => clock.closeBlock(),
      setNow: (now) => clock.setNow(now),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const jetton: LocalJetton = { ...localJetton, master: localJettonMaster };

/** @throws {Problem} `invalid_config` when the port is taken */
function listen(
  options: { hostname: string; port: number; signal: AbortSignal },
  handler: Deno.ServeHandler,
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve({ ...options, onListen: () => {} }, handler);
  } catch (cause) {
    const { hostname, port } = options;
    throw new Problem("invalid_config", `localnet cannot listen on ${hostname}:${port}`, { cause });
  }
}

/** The first of every localnet's `wallets`. */
export const firstWallet: LocalWallet = published(userKeys[0]);

function published({ mnemonic, version, address }: DevelopmentKey): LocalWallet {
  return { mnemonic, version, address: Address.parse(address) };
}

async function deployAll(chain: Chain, pools: readonly PoolSpec[]): Promise<Deployments> {
  const { mnemonic, version } = deployerKey;
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
  const deployed = await deployPools({
    chain,
    wallet,
    network: "localnet",
    pools,
    pollMs: 1,
  });
  const listed = deployed.map((
    pool,
  ): [string, Deployment] => [poolKey(pool), { ...pool, maxRefund: MAX_REFUND }]);
  return { network: "localnet", pools: new Map(listed) };
}
