import type { Address } from "@ton/core";
import { type Deployment, poolKey, type PoolVersion } from "../../../core/protocol/deployments.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { formatAmount, formatNative } from "../../../core/protocol/units.ts";
import type { DeployOrder, TrialOutcome } from "../../../ops/deploy/deploy.ts";
import type { IssuerFacts } from "../../../ops/deploy/jetton_issuer.ts";
import type { Wallet, WalletVersion } from "../../../ton/wallet/wallet.ts";
import type { CliContext } from "../../context.ts";
import { type ChainOptions, formatChainFlags, formatPoolAddress } from "../../options/chain_options.ts";
import { CommandView, printWarning } from "../../output/print.ts";
import { describeIssuer, describePlannedTrial, issuerToJson, TRIAL_TEXTS } from "./issuer_view.ts";

export interface DeployCommandOptions extends ChainOptions {
  readonly asset: "native" | Address; // a jetton is identified by its master
  readonly symbol?: string;
  readonly decimals?: number;
  readonly nativePrice?: string;
  readonly amount: string;
  readonly generation?: number;
  readonly poolVersion: PoolVersion;
  readonly owner?: Address;
  readonly burnOwner?: boolean;
  readonly mnemonicFile?: string;
  readonly walletVersion?: WalletVersion;
  readonly yes?: boolean;
}

/** The result goes to standard output, warnings and progress to standard error. */
export class DeployView extends CommandView<DeployCommandOptions> {
  readonly #printsText: boolean;
  #issuer?: IssuerFacts;
  #trial?: TrialOutcome;

  constructor(context: CliContext, options: DeployCommandOptions, readonly wallet: Wallet) {
    super(context, options);
    this.#printsText = !options.json && !options.quiet;
  }

  warn(text: string): void {
    printWarning(this.context, text);
  }

  showIssuer(issuer: IssuerFacts): void {
    this.#issuer = issuer;
    if (!this.#printsText) return;
    this.#printLine(this.colours.bold("The issuer of the jetton"));
    for (const [name, text] of describeIssuer(issuer, this.options.network)) this.#printFact(name, text);
  }

  noteTrial(outcome: TrialOutcome): void {
    this.#trial = outcome;
  }

  async confirm({ pools, topUps, value, trial, movesUnit, balance, keys }: DeployOrder): Promise<void> {
    const { network, yes } = this.options;
    if (this.#printsText) {
      const missing = topUps.length > 0
        ? "A pool that someone else deployed with too few coins"
        : value > 0n
        ? "A pool without its jetton wallet"
        : "A pool without a trial of its jetton";
      this.#printLine(`${this.colours.bold(pools.length > 0 ? "A new pool" : missing)} on ${network}`);
      for (
        const { asset, amount, version, generation, address, owner, denomination, jetton, terms } of pools
      ) {
        const takes = formatAmount(denomination, { asset, ...jetton });
        this.#printFact(
          "pool",
          `${poolKey({ asset, amount, version, generation })}, accepts exactly ${takes}`,
        );
        if (jetton) {
          this.#printFact(
            "jetton",
            `${formatPoolAddress(jetton.master, network)}, checked before anything is sent`,
          );
        }
        if (terms) {
          const fee = formatAmount(terms.feeMin, { asset, ...jetton });
          this.#printFact("terms", `fee at least ${fee}, refund at most ${formatNative(terms.maxRefund)}`);
        }
        this.#printFact("address", formatPoolAddress(address, network));
        this.#printFact(
          "owner",
          owner ? `${this.wallet.format(owner)} (can pause deposits)` : "none: burned",
        );
      }
      for (const { address, value } of topUps) {
        const text = `${formatPoolAddress(address, network)} exists and lacks ${formatNative(value)}`;
        this.#printFact("pool", text);
      }
      this.#printFact("keys", keys);
      this.#printFact(
        "wallet",
        `${this.wallet.format()} ${this.wallet.version}, holds ${formatNative(balance)}`,
      );
      if (value > 0n) {
        this.#printFact("pays", `${formatNative(value)} and fees; it stays in the pool for its storage`);
      }
      if (trial > 0n) this.#printFact("trial", describePlannedTrial(formatNative(trial), movesUnit));
    }
    if (yes) return;
    const [sum, purpose] = value > 0n
      ? [value, pools.length > 0 ? "deploy" : "complete the pool"]
      : [trial, "test the pool"];
    const agreed = await this.context.promptConfirm(`Send ${formatNative(sum)} to ${purpose} on ${network}?`);
    if (!agreed) {
      throw new Problem(
        "confirmation_required",
        agreed === undefined ? "standard input is not a terminal" : "not deployed",
      );
    }
  }

  showWaiting({ elapsed, timeout }: { elapsed: number; timeout: number }): void {
    if (!this.options.quiet) this.progress.update("waiting until the pool is on chain", elapsed / timeout);
  }

  showDeployed(deployment: Deployment, registry: string, sent: boolean): void {
    this.progress.clear();
    const { network, json } = this.options;
    const address = formatPoolAddress(deployment.address, network);
    if (json) {
      const { asset, amount, denomination, deployedSeqno, codeHash, vkeyHash, owner } = deployment;
      const { jettonMaster, jettonWallet, decimals, feeMin, maxRefund } = deployment;
      const members = {
        network,
        key: poolKey(deployment),
        address,
        asset,
        amount,
        denomination: String(denomination),
        generation: deployment.generation ?? 0,
        version: deployment.version ?? 1,
        deployedSeqno,
        codeHash,
        vkeyHash,
        owner: owner && this.wallet.format(owner),
        registry,
        sent,
        ...jettonMaster && jettonWallet && {
          jettonMaster: formatPoolAddress(jettonMaster, network),
          jettonWallet: formatPoolAddress(jettonWallet, network),
          decimals,
        },
        ...this.#issuer && { issuer: issuerToJson(this.#issuer, network), trial: this.#trial },
        ...feeMin !== undefined && { feeMin: String(feeMin), maxRefund: String(maxRefund) },
      };
      return this.#printLine(JSON.stringify(members));
    }
    if (!this.#printsText) return this.#printLine(address);
    this.#printLine(this.colours.bold(sent ? "Deployed and verified" : "Already deployed, and verified"));
    this.#printFact("address", address);
    this.#printFact("code", deployment.codeHash);
    if (deployment.jettonWallet) {
      const wallet = formatPoolAddress(deployment.jettonWallet, network);
      this.#printFact("jettons", `in ${wallet}, confirmed by the master`);
    }
    if (this.#trial) this.#printFact("trial", TRIAL_TEXTS[this.#trial]);
    this.#printFact("registry", `${registry}, as ${poolKey(deployment)}`);
    const flags = formatChainFlags({ ...this.options, registry });
    this.#printLine(`\nAudit it at any time: tonado pool inspect ${address} ${flags}`);
  }

  #printLine(text: string): void {
    this.context.stdout.write(`${text}\n`);
  }

  #printFact(name: string, value: string): void {
    this.#printLine(`  ${this.colours.dim(name.padEnd(9))} ${value}`);
  }
}
