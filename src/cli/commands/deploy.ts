import type { Address } from "@ton/core";
import { Command, InvalidArgumentError } from "commander";
import {
  addToRegistry,
  assertRegistryWritable,
  readRegistryOrEmpty,
  workingRegistryPath,
} from "../../config/deployments_registry.ts";
import { loadDeployConfig } from "../../config/deploy_config.ts";
import { type Deployment, poolKey } from "../../core/protocol/deployments.ts";
import { Problem } from "../../core/errors/problem.ts";
import { MAX_GENERATION } from "../../core/protocol/pool_constants.ts";
import { formatAmount, parseUnits } from "../../core/protocol/units.ts";
import { type DeployOrder, deployPool, type PoolSpec, type TrialOutcome } from "../../ops/deploy/deploy.ts";
import { fetchIssuerFacts, type IssuerFacts } from "../../ops/deploy/jetton_issuer.ts";
import { identifyJetton } from "../../ops/deploy/jetton_identity.ts";
import type { Wallet, WalletVersion } from "../../ton/wallet/wallet.ts";
import {
  addChainOptions,
  type ChainOptions,
  formatChainFlags,
  formatNative,
  formatPoolAddress,
  parseAddressArgument,
  parseAmountArgument,
} from "../options/chain_options.ts";
import { colours, progressLine } from "../output/progress.ts";
import type { CliContext } from "../context.ts";
import { integerArgument } from "../options/integer_argument.ts";
import { walletVersionOption } from "../options/payer_options.ts";
import { POLL_INTERVALS_MS } from "../options/polling_intervals.ts";
import { printWarning } from "../output/print.ts";
import { describeIssuer, describePlannedTrial, issuerToJson, TRIAL_TEXTS } from "./deploy/issuer_view.ts";

interface DeployCommandOptions extends ChainOptions {
  /** A jetton is identified by its master. */
  readonly asset: "native" | Address;
  readonly symbol?: string;
  readonly decimals?: number;
  readonly nativePrice?: string;
  readonly amount: string;
  readonly generation?: number;
  readonly owner?: Address;
  readonly burnOwner?: boolean;
  readonly mnemonicFile?: string;
  readonly walletVersion?: WalletVersion;
  readonly yes?: boolean;
}

export function deployCommand(wiring: CliContext): Command {
  const command = new Command("deploy")
    .description("deploy a pool, verify it on chain and write it into the registry")
    .requiredOption("--amount <amount>", "denomination in whole units, like 10 or 0.5", parseAmountArgument)
    .option(
      "--asset <asset>",
      "native, or the address of a jetton's master (TEP-74, TEP-89)",
      parseAsset,
      "native",
    )
    .option("--symbol <id>", "the jetton's identifier in registry and notes; default: its own symbol")
    .option(
      "--decimals <n>",
      "the jetton's decimals; default: its own, where they are on chain",
      integerArgument(0, 30),
    )
    .option(
      "--native-price <amount>",
      "jettons that one native coin is worth: proposes feeMin and maxRefund for relayers",
      parseAmountArgument,
    )
    .option(
      "--generation <n>",
      "0: the first pool of its denomination; a successor of a full one is 1, the next 2, ...",
      integerArgument(0, MAX_GENERATION),
      0,
    )
    .option("--owner <address>", "admin of the pool; default: the paying wallet", parseAddressArgument)
    .option("--burn-owner", "deploy without an admin; required on mainnet; also TONADO_BURN_OWNER=1")
    .option(
      "--mnemonic-file <file>",
      "24 words of the paying wallet; default: TONADO_WALLET_MNEMONIC_FILE",
    )
    .addOption(walletVersionOption())
    .option("--yes", "do not ask for confirmation before money is sent");
  return addChainOptions(command, { registry: "deployments/<network>.json" })
    .addHelpText(
      "after",
      "\nA second run finds the pool and pays nothing. The mnemonic is never read from the command line.\n\n" +
        "Examples:\n" +
        "  tonado deploy --network testnet --amount 10 --mnemonic-file wallet.txt\n" +
        "  tonado deploy --network mainnet --amount 100 --burn-owner --mnemonic-file /run/secrets/deployer\n" +
        "  tonado deploy --network mainnet --amount 100 --burn-owner --generation 1 --mnemonic-file /run/secrets/deployer\n" +
        "  tonado deploy --network testnet --asset EQ... --amount 100 --mnemonic-file wallet.txt\n" +
        "  tonado deploy --network localnet --endpoint http://127.0.0.1:8081/api/v2/jsonRPC --amount 2 --yes --json",
    )
    .action((options: DeployCommandOptions) => deploy(wiring, options));
}

async function deploy(wiring: CliContext, options: DeployCommandOptions): Promise<void> {
  const errors = (["symbol", "decimals", "nativePrice"] as const)
    .filter((name) => options.asset === "native" && options[name] !== undefined)
    .map((name) => ({
      pointer: name === "nativePrice" ? "--native-price" : `--${name}`,
      detail: "is for jettons only",
    }));
  if (errors.length > 0) throw new Problem("invalid_config", undefined, { errors });
  const { network, amount } = options;
  const { endpoint, wallet: payer, burnOwner } = loadDeployConfig(options, wiring.env);
  const registry = options.registry ?? workingRegistryPath(network);
  const known = await readRegistryOrEmpty(network, registry);
  await assertRegistryWritable(registry);
  const chain = wiring.connect(options.network, endpoint);
  const wallet = await wiring.openWallet(payer.mnemonic, { version: payer.version, network, chain });
  const talk = new DeployView(wiring, options, wallet);
  if (!wallet.checksumValid) {
    talk.warn("the mnemonic fails TON's checksum; check that this is the right wallet");
  }

  const of = options.asset === "native"
    ? { asset: "native" }
    : withNativePrice(await identifyJetton(chain, options.asset, options), options.nativePrice);
  if (options.asset !== "native") {
    talk.showIssuer(await fetchIssuerFacts(chain, { master: options.asset, owner: wallet.address }));
  }
  let sent = false;
  const deployment = await deployPool({
    chain,
    wallet,
    network,
    registry: known,
    ...of,
    amount,
    generation: options.generation,
    owner: burnOwner ? null : options.owner ?? wallet.address,
    pollIntervalMs: POLL_INTERVALS_MS[network],
    onWarning: (text) => talk.warn(text),
    confirm: async (order) => {
      await talk.confirm(order);
      sent = true;
    },
    onTrial: (outcome) => talk.noteTrial(outcome),
    onWait: (waited) => talk.showWaiting(waited),
  });
  await addToRegistry(network, registry, [deployment]);
  talk.showDeployed(deployment, registry, sent);
}

function withNativePrice(
  pool: Awaited<ReturnType<typeof identifyJetton>>,
  price: string | undefined,
): Pick<PoolSpec, "asset" | "jetton"> {
  if (price === undefined) return pool;
  return { ...pool, jetton: { ...pool.jetton, nativePrice: parseUnits(price, pool.jetton.decimals) } };
}

function parseAsset(text: string): "native" | Address {
  if (text === "native") return text;
  try {
    return parseAddressArgument(text);
  } catch {
    throw new InvalidArgumentError("It must be native, or the address of a jetton's master.");
  }
}

/** The result goes to standard output, warnings and progress to standard error. */
class DeployView {
  readonly #progress;
  readonly #printsText: boolean;
  #issuer?: IssuerFacts;
  #trial?: TrialOutcome;

  constructor(readonly context: CliContext, readonly options: DeployCommandOptions, readonly wallet: Wallet) {
    this.#progress = progressLine(context.stderr);
    this.#printsText = !options.json && !options.quiet;
  }

  warn(text: string): void {
    printWarning(this.context, text);
  }

  showIssuer(issuer: IssuerFacts): void {
    this.#issuer = issuer;
    if (!this.#printsText) return;
    this.#printLine(this.#bold("The issuer of the jetton"));
    for (const [name, text] of describeIssuer(issuer, this.options.network)) this.#printFact(name, text);
  }

  noteTrial(outcome: TrialOutcome): void {
    this.#trial = outcome;
  }

  async confirm({ pools, value, trial, balance, keys }: DeployOrder): Promise<void> {
    const { network, yes } = this.options;
    if (this.#printsText) {
      const missing = value > 0n
        ? "A pool without its jetton wallet"
        : "A pool without a trial of its jetton";
      this.#printLine(`${this.#bold(pools.length > 0 ? "A new pool" : missing)} on ${network}`);
      for (const { asset, amount, generation, address, owner, denomination, jetton, terms } of pools) {
        const takes = formatAmount(denomination, { asset, ...jetton });
        this.#printFact("pool", `${poolKey({ asset, amount, generation })}, takes exactly ${takes}`);
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
      this.#printFact("keys", keys);
      this.#printFact(
        "wallet",
        `${this.wallet.format()} ${this.wallet.version}, holds ${formatNative(balance)}`,
      );
      if (value > 0n) {
        this.#printFact("pays", `${formatNative(value)} and fees; it stays in the pool for its storage`);
      }
      if (trial > 0n) this.#printFact("trial", describePlannedTrial(formatNative(trial)));
    }
    if (yes) return;
    const [sum, purpose] = value > 0n ? [value, "deploy"] : [trial, "test the pool"];
    const agreed = await this.context.promptConfirm(`Send ${formatNative(sum)} to ${purpose} on ${network}?`);
    if (!agreed) {
      throw new Problem(
        "confirmation_required",
        agreed === undefined ? "there is no terminal to ask at" : "not deployed",
      );
    }
  }

  showWaiting({ elapsed, timeout }: { elapsed: number; timeout: number }): void {
    if (!this.options.quiet) {
      this.#progress.update("waiting until the pool is on chain", elapsed / timeout);
    }
  }

  showDeployed(deployment: Deployment, registry: string, sent: boolean): void {
    this.#progress.clear();
    const { network, json } = this.options;
    const address = formatPoolAddress(deployment.address, network);
    if (json) {
      const { asset, amount, denomination, deployedSeqno, codeHash, vkeyHash, owner } = deployment;
      const { jettonMaster, jettonWallet, decimals, feeMin, maxRefund } = deployment;
      const shown = {
        ...{ network, key: poolKey(deployment), address, asset, amount, denomination: String(denomination) },
        ...{ generation: deployment.generation ?? 0 },
        ...{ deployedSeqno, codeHash, vkeyHash, owner: owner && this.wallet.format(owner), registry, sent },
        ...jettonMaster && jettonWallet && {
          jettonMaster: formatPoolAddress(jettonMaster, network),
          jettonWallet: formatPoolAddress(jettonWallet, network),
          decimals,
        },
        ...this.#issuer && { issuer: issuerToJson(this.#issuer, network), trial: this.#trial },
        ...feeMin !== undefined && { feeMin: String(feeMin), maxRefund: String(maxRefund) },
      };
      return this.#printLine(JSON.stringify(shown));
    }
    if (!this.#printsText) return this.#printLine(address);
    this.#printLine(
      this.#bold(sent ? "Deployed and verified" : "Already deployed, and verified"),
    );
    this.#printFact("address", address);
    this.#printFact("code", deployment.codeHash);
    if (deployment.jettonWallet) {
      const wallet = formatPoolAddress(deployment.jettonWallet, network);
      this.#printFact("jettons", `in ${wallet}, confirmed by the master`);
    }
    if (this.#trial) this.#printFact("trial", TRIAL_TEXTS[this.#trial]);
    this.#printFact("registry", `${registry}, as ${poolKey(deployment)}`);
    const flags = formatChainFlags({ network, endpoint: this.options.endpoint, registry });
    this.#printLine(`\nAudit it at any time: tonado pool inspect ${address} ${flags}`);
  }

  #bold(text: string): string {
    return colours(this.context.stdout, this.context.env).bold(text);
  }

  #printLine(text: string): void {
    this.context.stdout.write(`${text}\n`);
  }

  #printFact(name: string, value: string): void {
    this.#printLine(`  ${colours(this.context.stdout, this.context.env).dim(name.padEnd(9))} ${value}`);
  }
}
