import type { Address } from "@ton/core";
import { exitCodeName } from "../../../core/errors/problem.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { createNote, type Note } from "../../../core/protocol/note.ts";
import { NATIVE_DECIMALS } from "../../../core/protocol/units.ts";
import { Secret } from "../../../core/text/secret.ts";
import { monotonicClock } from "../../../core/time/clock.ts";
import type { ProofProgress, Prover } from "../../../prover/prover.ts";
import type { Chain } from "../../../ton/chain.ts";
import { type AnyPool, openPool } from "../../../ton/pool/any_pool.ts";
import { depositorOf } from "../../../ton/pool/history/event_decoder.ts";
import type { PoolEvent } from "../../../ton/pool/history/pool_events.ts";
import { waitForPoolEvent } from "../../../ton/pool/history/pool_watch.ts";
import type { OutgoingMessage, Wallet } from "../../../ton/wallet/wallet.ts";
import type { CliContext, RunningLocalnet } from "../../context.ts";
import { assertClaim, CLAIM_TIMEOUT_MS, formatLocalnetAddress, POLL_INTERVAL_MS } from "./assertions.ts";
import { type DemoAccounts, readJettonBalances, readNativeBalances } from "./balances.ts";
import type { DemoEvent } from "./events.ts";

export const NETWORK = "localnet";
export const DEPOSIT_COUNT = 3;

export abstract class ScenarioBase<PoolKind extends AnyPool> {
  protected readonly chain: Chain;
  protected readonly deployment: Deployment;
  protected readonly pool: PoolKind;

  constructor(
    readonly context: CliContext,
    readonly localnet: RunningLocalnet,
    readonly prover: Prover,
    readonly emit: (event: DemoEvent) => void,
    key: string,
  ) {
    const deployment = localnet.deployments.pools.get(key);
    if (!deployment) throw new Error(`the local network has no pool ${key}`);
    this.deployment = deployment;
    this.chain = context.connect(NETWORK, { url: localnet.url });
    this.pool = openPool(this.chain, deployment.address, deployment.version) as PoolKind;
  }

  protected emitStarted(relayer?: string): void {
    const { asset, decimals = NATIVE_DECIMALS, denomination } = this.deployment;
    this.emit({
      event: "started",
      indexer: this.localnet.url,
      ...relayer && { relayer },
      asset,
      decimals,
      pool: formatLocalnetAddress(this.pool.address, true),
      denomination,
      keys: this.prover.label,
    });
  }

  protected createNote(): Note {
    const { asset, amount, version } = this.deployment;
    return createNote({ asset, amount, network: NETWORK, version });
  }

  /** What every deposit and withdrawal names. */
  protected get place() {
    return {
      chain: this.chain,
      pool: this.pool,
      network: NETWORK,
      pollIntervalMs: POLL_INTERVAL_MS,
    } as const;
  }

  protected openWallets(): Promise<Wallet[]> {
    return Promise.all(this.localnet.wallets.map((wallet) => this.openWallet(wallet)));
  }

  protected openWallet(
    { mnemonic, version }: { mnemonic: string; version: Wallet["version"] },
  ): Promise<Wallet> {
    return this.context.openWallet(new Secret(mnemonic), { version, network: NETWORK, chain: this.chain });
  }

  protected progress(what: string): (progress: ProofProgress) => void {
    return ({ stage, fraction }) => this.emit({ event: "proving", what, stage, fraction });
  }

  protected readBalances(accounts: DemoAccounts) {
    const { jettonMaster } = this.deployment;
    return jettonMaster
      ? readJettonBalances(this.chain, jettonMaster, accounts)
      : readNativeBalances(this.chain, accounts);
  }

  protected async attemptDoubleSpend(attacker: Wallet, message: OutgoingMessage): Promise<void> {
    const { exitCode } = await this.send(attacker, message, "refused");
    const reason = exitCodeName(exitCode ?? 0) ?? String(exitCode);
    assertClaim(reason === "ERR_ALREADY_SPENT", `the pool refuses with ERR_ALREADY_SPENT (${reason})`);
    this.emit({ event: "double_spend_refused", by: "pool", reason });
  }

  /** Sends a message and returns the pool's event of this kind. Throws for any other event. */
  protected async send<Kind extends PoolEvent["kind"]>(
    wallet: Wallet,
    message: OutgoingMessage,
    kind: Kind,
  ): Promise<Extract<PoolEvent, { kind: Kind }>> {
    const after = (await this.chain.account(this.pool.address)).last;
    await wallet.send([message]);
    const deadline = monotonicClock.now() + CLAIM_TIMEOUT_MS;
    const event = await waitForPoolEvent<PoolEvent>(this.chain, this.pool.address, {
      after,
      pollIntervalMs: POLL_INTERVAL_MS,
      match: (event) => payerOf(event).equals(wallet.address) ? event : undefined,
      afterScan: () => monotonicClock.now() > deadline,
    });
    assertClaim(event?.kind === kind, `the pool reports a ${kind}, and not: ${event?.kind}`);
    return event as Extract<PoolEvent, { kind: Kind }>;
  }
}

/** A pool of jettons is notified by its own wallet. */
function payerOf(event: PoolEvent): Address {
  return event.kind === "deposit" || event.kind === "refused" ? depositorOf(event) : event.sender;
}
