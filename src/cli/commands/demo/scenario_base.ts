import type { Address } from "@ton/core";
import { exitCodeName } from "../../../core/errors/problem.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { NATIVE_DECIMALS } from "../../../core/protocol/units.ts";
import { V2_POOL_CAPACITY } from "../../../core/protocol/v2/pool_constants.ts";
import { Secret } from "../../../core/text/secret.ts";
import type { ProofProgress, Prover } from "../../../prover/prover.ts";
import type { Chain } from "../../../ton/chain.ts";
import type { AnyPool } from "../../../ton/pool/any_pool.ts";
import { depositorOf } from "../../../ton/pool/history/event_decoder.ts";
import type { PoolEvent } from "../../../ton/pool/history/pool_events.ts";
import { scanPoolTransactions } from "../../../ton/pool/history/scan.ts";
import type { OutgoingMessage, Wallet } from "../../../ton/wallet/wallet.ts";
import type { CliContext, RunningLocalnet } from "../../context.ts";
import { assertClaim, formatLocalnetAddress, waitForClaim } from "./assertions.ts";
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
    { key, open }: { readonly key: string; readonly open: (chain: Chain, address: Address) => PoolKind },
  ) {
    const deployment = localnet.deployments.pools.get(key);
    if (!deployment) throw new Error(`the local network has no pool ${key}`);
    this.deployment = deployment;
    this.chain = context.connect(NETWORK, { url: localnet.url });
    this.pool = open(this.chain, deployment.address);
  }

  protected emitStarted(relayer?: string): void {
    const { asset, decimals = NATIVE_DECIMALS, denomination } = this.deployment;
    this.emit({
      ...{ event: "started", indexer: this.localnet.url, ...relayer && { relayer }, asset, decimals },
      ...{ pool: formatLocalnetAddress(this.pool.address, true), denomination, keys: this.prover.label },
    });
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
    let event: PoolEvent | undefined;
    await waitForClaim("the pool has answered", async () => {
      event = (await this.readEvents(after)).find((event) => payerOf(event).equals(wallet.address));
      return event !== undefined;
    });
    assertClaim(event?.kind === kind, `the pool reports a ${kind}, and not: ${event?.kind}`);
    return event as Extract<PoolEvent, { kind: Kind }>;
  }

  protected async readEvents(after?: PoolEvent["tx"]): Promise<PoolEvent[]> {
    const found: PoolEvent[] = [];
    const options = { after, capacity: V2_POOL_CAPACITY };
    for await (const { events } of scanPoolTransactions(this.chain, this.pool.address, options)) {
      found.push(...events);
    }
    return found;
  }
}

/** A pool of jettons is notified by its own wallet. */
function payerOf(event: PoolEvent): Address {
  return event.kind === "deposit" || event.kind === "refused" ? depositorOf(event) : event.sender;
}
