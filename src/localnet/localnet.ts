import { Address, type Cell, type Message, toNano } from "@ton/core";
import {
  type Deployment,
  type Deployments,
  formatDeployments,
  parseDeployments,
  poolKey,
} from "../core/protocol/deployments.ts";
import { Problem } from "../core/errors/problem.ts";
import { parseUnits } from "../core/protocol/units.ts";
import { type Clock, systemClock } from "../core/time/clock.ts";
import { deployPools, type PoolSpec } from "../ops/deploy/deploy.ts";
import type { Chain } from "../ton/chain.ts";
import { connect } from "../ton/endpoint/toncenter.ts";
import { openWallet, type WalletVersion } from "../ton/wallet/wallet.ts";
import { BlockProducer } from "./block_producer.ts";
import { deployerKey, type DevelopmentKey, relayerKey, userKeys } from "./development_keys.ts";
import { loadEmulator } from "./emulator.ts";
import { jettonDeployMessage, jettonMintMessage, localJetton, localJettonMaster } from "./local_jetton.ts";
import { Ledger, type LedgerState } from "./ledger.ts";
import { mainnetConfig } from "./mainnet_config.ts";
import { coinMintMessage } from "./coin_mint.ts";
import { handleRequest } from "./api/request_handler.ts";
import { PhoneWallet } from "./tonconnect/phone_wallet.ts";

export interface LocalnetOptions {
  readonly port?: number; // default: 0, any free port
  readonly host?: string;
  /** Default: 1,000. With 0, a block closes as soon as a message is pending. */
  readonly blockTimeMs?: number;
  readonly config?: Cell;
  /** Denominations in whole units. Default: 0.1, 1 and 10. */
  readonly pools?: readonly string[];
  readonly jettonPools?: readonly string[]; // default: 10, or none if `pools` is given
  /** Native pools of version 2. Default: 10, or none if `pools` is given. */
  readonly version2Pools?: readonly string[];
  /** Jetton pools of version 2. Default: 10, or none if `pools` is given. */
  readonly version2JettonPools?: readonly string[];
  /** A saved state to start from. It must have the same config and pools, and not lie in the future. */
  readonly state?: LocalnetState;
  /** The time of its blocks. Default: this machine's clock. */
  readonly clock?: Pick<Clock, "now">;
  readonly signal?: AbortSignal;
  readonly onError?: (error: unknown) => void;
}

/** JSON values. */
export interface LocalnetState {
  readonly ledger: LedgerState;
  readonly deployments: unknown;
}

export interface LocalWallet {
  readonly mnemonic: string;
  readonly version: WalletVersion;
  readonly address: Address;
}

export interface LocalJetton {
  readonly asset: string;
  readonly decimals: number;
  readonly master: Address;
}

export interface Localnet {
  readonly url: string;
  readonly wallets: readonly LocalWallet[]; // at least 4, of both versions, with 10,000 GRAM each
  readonly relayer: LocalWallet; // holds 1,000 GRAM
  readonly jetton: LocalJetton; // each of `wallets` holds 1,000,000 units
  readonly deployments: Deployments;
  /** Credits `value` nano without a sender. */
  fund(address: Address, value: bigint): Promise<void>;
  fundJetton(owner: Address, amount: bigint): Promise<void>;
  setCode(address: Address, code: Cell): Promise<Cell>;
  /** Replaces an account's data by what `change` returns for it. */
  changeData(address: Address, change: (data: Cell) => Cell): Promise<void>;
  closeBlock(): Promise<void>;
  setNow(now: number): Promise<void>;
  /** Throws an Error if messages are pending. */
  save(): Promise<LocalnetState>;
  close(): Promise<void>;
}

const genesisBalances: readonly [DevelopmentKey, bigint][] = [
  [deployerKey, toNano(1_000_000)],
  [relayerKey, toNano(1_000)],
  ...userKeys.map((key): [DevelopmentKey, bigint] => [key, toNano(10_000)]),
];
const INITIAL_JETTONS = parseUnits("1000000", localJetton.decimals);
const MAX_REFUND = toNano("0.1");

export async function startLocalnet(options: LocalnetOptions = {}): Promise<Localnet> {
  const { port = 0, host = "127.0.0.1", blockTimeMs = 1000 } = options;
  // deno-lint-ignore no-console
  const onError = options.onError ?? ((error) => console.error("localnet:", error));
  options.signal?.throwIfAborted();

  const executor = await loadEmulator();
  const config = options.config ?? mainnetConfig();
  const { state } = options;
  const { clock: timeSource = systemClock } = options;
  const now = Math.floor(timeSource.now() / 1000);
  const ledger = new Ledger({ executor, config, now, ...state && { state: state.ledger } });
  const clock = new BlockProducer(ledger, timeSource, onError);
  const serving = new AbortController();
  const phone = createPhone(() => url);
  const respond = async (request: Request) =>
    await clock.withBlocks(async () =>
      await phone.respond(request) ?? await handleRequest(ledger, request, onError)
    );
  const server = listen({ hostname: host, port, signal: serving.signal }, respond);
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${server.addr.port}/api/v2/jsonRPC`;

  async function end(): Promise<void> {
    options.signal?.removeEventListener("abort", close);
    phone.close();
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
    const wallets = userKeys.map(toLocalWallet);
    const genesis = async () => {
      await inject(...genesisMessages(wallets, clock.now));
      return await deployRegistry(connectLocal(url), poolsToDeploy(options));
    };
    const deployments = state ? parseDeployments(state.deployments) : await genesis();
    if (state) await clock.closeBlock(); // the last block of a state is old
    clock.start(blockTimeMs);
    options.signal?.addEventListener("abort", close, { once: true });
    return {
      url,
      wallets,
      relayer: toLocalWallet(relayerKey),
      jetton,
      deployments,
      fund: (address, value) => inject(coinMintMessage(address, value, clock.now)),
      fundJetton: (owner, amount) => inject(jettonMintMessage(owner, amount, clock.now)),
      setCode: (address, code) => ledger.setCode(address, code),
      changeData: (address, change) => ledger.changeData(address, change),
      closeBlock: () => clock.closeBlock(),
      setNow: (now) => clock.setNow(now),
      save: async () => ({
        ledger: await ledger.save(),
        deployments: JSON.parse(formatDeployments(deployments)),
      }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const connectLocal = (endpoint: string) => connect({ network: "localnet", endpoint });

function createPhone(url: () => string): PhoneWallet {
  const { mnemonic, version } = firstWallet;
  return new PhoneWallet(() =>
    openWallet(mnemonic, { version, network: "localnet", chain: connectLocal(url()) })
  );
}

function genesisMessages(wallets: readonly LocalWallet[], now: number): Message[] {
  return [
    ...genesisBalances.map(([key, value]) => coinMintMessage(Address.parse(key.address), value, now)),
    jettonDeployMessage(now),
    ...wallets.map(({ address }) => jettonMintMessage(address, INITIAL_JETTONS, now)),
  ];
}

const jetton: LocalJetton = { ...localJetton, master: localJettonMaster };

function listen(
  options: { hostname: string; port: number; signal: AbortSignal },
  handler: Deno.ServeHandler,
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve({ ...options, onListen: () => {} }, handler);
  } catch (cause) {
    const { hostname, port } = options;
    throw new Problem(
      "invalid_config",
      `localnet cannot listen on ${hostname}:${port}; choose another port`,
      { cause },
    );
  }
}

export const firstWallet: LocalWallet = toLocalWallet(userKeys[0]);

function toLocalWallet({ mnemonic, version, address }: DevelopmentKey): LocalWallet {
  return { mnemonic, version, address: Address.parse(address) };
}

function poolsToDeploy(options: LocalnetOptions): PoolSpec[] {
  const { pools = ["0.1", "1", "10"] } = options;
  const byDefault = options.pools ? [] : ["10"];
  const { jettonPools = byDefault, version2Pools = byDefault, version2JettonPools = byDefault } = options;
  const native = (amount: string) => ({ asset: "native", amount, owner: null });
  const ofJetton = (amount: string) => ({ asset: jetton.asset, amount, owner: null, jetton });
  return [
    ...pools.map(native),
    ...version2Pools.map((amount) => ({ ...native(amount), version: 2 as const })),
    ...jettonPools.map(ofJetton),
    ...version2JettonPools.map((amount) => ({ ...ofJetton(amount), version: 2 as const })),
  ];
}

async function deployRegistry(chain: Chain, pools: readonly PoolSpec[]): Promise<Deployments> {
  const { mnemonic, version } = deployerKey;
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
  const deployed = await deployPools({
    chain,
    wallet,
    network: "localnet",
    pools,
    pollIntervalMs: 1,
  });
  const entries = deployed.map((pool): [string, Deployment] => {
    return [poolKey(pool), { ...pool, maxRefund: MAX_REFUND }];
  });
  return { network: "localnet", pools: new Map(entries) };
}
