/** `tonado deploy`: one pool, checked before money moves, verified after it, written into the registry. */
import type { Address } from "@ton/core";
import { Command, InvalidArgumentError, Option } from "commander";
import {
  addToRegistry,
  assertRegistryWritable,
  readRegistryIfAny,
  workingRegistry,
} from "../config/registry.ts";
import { loadDeployConfig } from "../config/tool_config.ts";
import { type Deployment, poolKey } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import { HIGHEST_GENERATION } from "../core/pool_constants.ts";
import { formatAmount } from "../core/units.ts";
import { type DeployOrder, deployPool } from "../ops/deploy.ts";
import { identifyJetton } from "../ops/jetton_identity.ts";
import type { Wallet, WalletVersion } from "../ton/wallet.ts";
import {
  addChainOptions,
  addressArgument,
  amountArgument,
  type ChainOptions,
  native,
  poolAddress,
  sameFlags,
} from "./chain_options.ts";
import { colours, progressLine } from "./style.ts";
import type { Wiring } from "./wiring.ts";

interface Options extends ChainOptions {
  /** A jetton by its master. */
  readonly asset: "native" | Address;
  readonly symbol?: string;
  readonly decimals?: number;
  readonly amount: string;
  readonly generation?: number;
  readonly owner?: Address;
  readonly burnOwner?: boolean;
  readonly mnemonicFile?: string;
  readonly walletVersion?: WalletVersion;
  readonly yes?: boolean;
}

/** Milliseconds between looks at the chain; a localnet closes blocks faster. */
const POLL_MS = { mainnet: 2000, testnet: 2000, localnet: 200 } as const;

/** The command. */
export function deployCommand(wiring: Wiring): Command {
  const command = new Command("deploy")
    .description("deploy a pool, verify it on chain and write it into the registry")
    .requiredOption("--amount <amount>", "denomination in whole units, like 10 or 0.5", amountArgument)
    .option(
      "--asset <asset>",
      "native, or the address of a jetton's master (TEP-74, TEP-89)",
      asset,
      "native",
    )
    .option("--symbol <id>", "the jetton's identifier in registry and notes; default: its own symbol")
    .option("--decimals <n>", "the jetton's decimals; default: its own, where they are on chain", decimals)
    .option(
      "--generation <n>",
      "0: the first pool of its denomination; a successor of a full one is 1, the next 2, ...",
      generation,
      0,
    )
    .option("--owner <address>", "admin of the pool; default: the wallet that pays", addressArgument)
    .option("--burn-owner", "nobody is ever its admin; mainnet requires it; also TONADO_BURN_OWNER=1")
    .option(
      "--mnemonic-file <file>",
      "24 words of the wallet that pays; default: TONADO_WALLET_MNEMONIC_FILE",
    )
    .addOption(
      new Option("--wallet-version <version>", "its contract; default: TONADO_WALLET_VERSION, or v4R2")
        .choices(["v4R2", "v5R1"]),
    )
    .option("--yes", "do not ask before money moves");
  return addChainOptions(command, { registry: "deployments/<network>.json" })
    .addHelpText(
      "after",
      "\nA second run finds the pool and pays nothing. The mnemonic is never taken from the command line.\n\n" +
        "Examples:\n" +
        "  tonado deploy --network testnet --amount 10 --mnemonic-file wallet.txt\n" +
        "  tonado deploy --network mainnet --amount 100 --burn-owner --mnemonic-file /run/secrets/deployer\n" +
        "  tonado deploy --network mainnet --amount 100 --burn-owner --generation 1 --mnemonic-file /run/secrets/deployer\n" +
        "  tonado deploy --network testnet --asset EQ... --amount 100 --mnemonic-file wallet.txt\n" +
        "  tonado deploy --network localnet --endpoint http://127.0.0.1:8081/api/v2/jsonRPC --amount 2 --yes --json",
    )
    .action((options: Options) => deploy(wiring, options));
}

async function deploy(wiring: Wiring, options: Options): Promise<void> {
  const errors = (["symbol", "decimals"] as const)
    .filter((name) => options.asset === "native" && options[name] !== undefined)
    .map((name) => ({ pointer: `--${name}`, detail: "is for jettons only" }));
  if (errors.length > 0) throw new Problem("invalid_config", undefined, { errors });
  const { network, amount } = options;
  const { endpoint, wallet: payer, burnOwner } = loadDeployConfig(options, wiring.env);
  const registry = options.registry ?? workingRegistry(network);
  const known = await readRegistryIfAny(network, registry);
  await assertRegistryWritable(registry);
  const chain = wiring.connect(options.network, endpoint);
  const wallet = await wiring.openWallet(payer.mnemonic, { version: payer.version, network, chain });
  const talk = new Talk(wiring, options, wallet);
  if (!wallet.checksumHolds) {
    talk.warn("the mnemonic does not pass TON's checksum: is this the wallet that you mean?");
  }

  const of = options.asset === "native"
    ? { asset: "native" }
    : await identifyJetton(chain, options.asset, options);
  let sent = false;
  const deployment = await deployPool({
    chain,
    wallet,
    network,
    known,
    ...of,
    amount,
    generation: options.generation,
    owner: burnOwner ? null : options.owner ?? wallet.address,
    pollMs: POLL_MS[network],
    warn: (text) => talk.warn(text),
    confirm: async (order) => {
      await talk.confirm(order);
      sent = true;
    },
    onWait: (waited) => talk.wait(waited),
  });
  await addToRegistry(network, registry, [deployment]);
  talk.done(deployment, registry, sent);
}

function asset(text: string): "native" | Address {
  if (text === "native") return text;
  try {
    return addressArgument(text);
  } catch {
    throw new InvalidArgumentError("It must be native, or the address of a jetton's master.");
  }
}

function generation(text: string): number {
  if (!/^(0|[1-9][0-9]{0,2})$/.test(text) || Number(text) > HIGHEST_GENERATION) {
    throw new InvalidArgumentError(`It must be an integer from 0 to ${HIGHEST_GENERATION}.`);
  }
  return Number(text);
}

function decimals(text: string): number {
  if (!/^([0-9]|[12][0-9]|30)$/.test(text)) {
    throw new InvalidArgumentError("It must be an integer from 0 to 30.");
  }
  return Number(text);
}

/** What the user reads: the order and the outcome on stdout, warnings and progress on stderr. */
class Talk {
  readonly #progress;
  readonly #text: boolean;

  constructor(readonly wiring: Wiring, readonly options: Options, readonly wallet: Wallet) {
    this.#progress = progressLine(wiring.stderr);
    this.#text = !options.json && !options.quiet;
  }

  warn(text: string): void {
    const { stderr, env } = this.wiring;
    stderr.write(`${colours(stderr, env).yellow("warning")}: ${text}\n`);
  }

  async confirm({ pools, value, balance, keys }: DeployOrder): Promise<void> {
    const { network, yes } = this.options;
    if (this.#text) {
      this.#line(
        `${this.#bold(pools.length > 0 ? "A new pool" : "A pool without its jetton wallet")} on ${network}`,
      );
      for (const { asset, amount, generation, address, owner, denomination, jetton } of pools) {
        const takes = formatAmount(denomination, { asset, ...jetton });
        this.#fact("pool", `${poolKey({ asset, amount, generation })}, takes exactly ${takes}`);
        if (jetton) {
          this.#fact("jetton", `${poolAddress(jetton.master, network)}, asked before anything else`);
        }
        this.#fact("address", poolAddress(address, network));
        this.#fact("owner", owner ? `${this.wallet.format(owner)} (can pause deposits)` : "none: burned");
      }
      this.#fact("keys", keys);
      this.#fact("wallet", `${this.wallet.format()} ${this.wallet.version}, holds ${native(balance)}`);
      this.#fact("pays", `${native(value)} and fees; it stays in the pool for its storage`);
    }
    if (yes) return;
    const agreed = await this.wiring.agrees(`Send ${native(value)} to deploy on ${network}?`);
    if (!agreed) {
      throw new Problem(
        "unconfirmed",
        agreed === undefined ? "there is no terminal to ask at" : "not deployed",
      );
    }
  }

  wait({ elapsed, timeout }: { elapsed: number; timeout: number }): void {
    if (!this.options.quiet) {
      this.#progress.update("waiting until the pool stands on chain", elapsed / timeout);
    }
  }

  done(deployment: Deployment, registry: string, sent: boolean): void {
    this.#progress.clear();
    const { network, json } = this.options;
    const address = poolAddress(deployment.address, network);
    if (json) {
      const { asset, amount, denomination, deployedSeqno, codeHash, vkeyHash, owner } = deployment;
      const { jettonMaster, jettonWallet, decimals } = deployment;
      const shown = {
        ...{ network, key: poolKey(deployment), address, asset, amount, denomination: String(denomination) },
        ...{ generation: deployment.generation ?? 0 },
        ...{ deployedSeqno, codeHash, vkeyHash, owner: owner && this.wallet.format(owner), registry, sent },
        ...jettonMaster && jettonWallet && {
          jettonMaster: poolAddress(jettonMaster, network),
          jettonWallet: poolAddress(jettonWallet, network),
          decimals,
        },
      };
      return this.#line(JSON.stringify(shown));
    }
    if (!this.#text) return this.#line(address);
    this.#line(this.#bold(sent ? "Deployed and verified" : "It stands already, and is what was built here"));
    this.#fact("address", address);
    this.#fact("code", deployment.codeHash);
    if (deployment.jettonWallet) {
      const wallet = poolAddress(deployment.jettonWallet, network);
      this.#fact("jettons", `in ${wallet}, as the master told pool and getter alike`);
    }
    this.#fact("registry", `${registry}, as ${poolKey(deployment)}`);
    const flags = sameFlags({ network, endpoint: this.options.endpoint, registry });
    this.#line(`\nAudit it at any time: tonado pool inspect ${address} ${flags}`);
  }

  #bold(text: string): string {
    return colours(this.wiring.stdout, this.wiring.env).bold(text);
  }

  #line(text: string): void {
    this.wiring.stdout.write(`${text}\n`);
  }

  #fact(name: string, value: string): void {
    this.#line(`  ${colours(this.wiring.stdout, this.wiring.env).dim(name.padEnd(9))} ${value}`);
  }
}
