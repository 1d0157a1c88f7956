/** `tonado deploy`: one pool, checked before money moves, verified after it, written into the registry. */
import type { Address } from "@ton/core";
import { Command, Option } from "commander";
import {
  addToRegistry,
  assertRegistryWritable,
  readRegistryIfAny,
  workingRegistry,
} from "../config/registry.ts";
import { loadDeployConfig } from "../config/tool_config.ts";
import { type Deployment, poolKey } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import { type DeployOrder, deployPool } from "../ops/deploy.ts";
import type { Wallet, WalletVersion } from "../ton/wallet.ts";
import { addChainOptions, addressArgument, type ChainOptions, native, poolAddress } from "./chain_options.ts";
import { colours, progressLine } from "./style.ts";
import type { Wiring } from "./wiring.ts";

interface Options extends ChainOptions {
  readonly asset: "native";
  readonly amount: string;
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
    .requiredOption("--amount <amount>", "denomination in whole units, like 10 or 0.5")
    .addOption(new Option("--asset <asset>", "asset of the pool").choices(["native"]).default("native"))
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
  return addChainOptions(command)
    .addHelpText(
      "after",
      "\nA second run finds the pool and pays nothing. The mnemonic is never taken from the command line.\n\n" +
        "Examples:\n" +
        "  tonado deploy --network testnet --amount 10 --mnemonic-file wallet.txt\n" +
        "  tonado deploy --network mainnet --amount 100 --burn-owner --mnemonic-file /run/secrets/deployer\n" +
        "  tonado deploy --network localnet --endpoint http://127.0.0.1:8081/api/v2/jsonRPC --amount 2 --yes --json",
    )
    .action((options: Options) => deploy(wiring, options));
}

async function deploy(wiring: Wiring, options: Options): Promise<void> {
  const { network, amount, asset } = options;
  const { endpoint, wallet: payer, burnOwner } = loadDeployConfig(options, wiring.env);
  const registry = options.registry ?? workingRegistry(network);
  const known = await readRegistryIfAny(network, registry);
  await assertRegistryWritable(registry);
  const chain = wiring.connect(endpoint.url, endpoint.apiKey?.reveal());
  const wallet = await wiring.openWallet(payer.mnemonic, { version: payer.version, network, chain });
  const talk = new Talk(wiring, options, wallet);
  if (!wallet.checksumHolds) {
    talk.warn("the mnemonic does not pass TON's checksum: is this the wallet that you mean?");
  }

  let sent = false;
  const deployment = await deployPool({
    chain,
    wallet,
    network,
    known,
    asset,
    amount,
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
    const { network, yes, asset } = this.options;
    if (this.#text) {
      this.#line(`${this.#bold("A new pool")} on ${network}`);
      for (const { amount, address, owner } of pools) {
        this.#fact("pool", `${poolKey({ asset, amount })}, takes exactly ${amount} TON`);
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
      const shown = {
        ...{ network, key: poolKey(deployment), address, asset, amount, denomination: String(denomination) },
        ...{ deployedSeqno, codeHash, vkeyHash, owner: owner && this.wallet.format(owner), registry, sent },
      };
      return this.#line(JSON.stringify(shown));
    }
    if (!this.#text) return this.#line(address);
    this.#line(this.#bold(sent ? "Deployed and verified" : "It stands already, and is what was built here"));
    this.#fact("address", address);
    this.#fact("code", deployment.codeHash);
    this.#fact("registry", `${registry}, as ${poolKey(deployment)}`);
    this.#line(`\nAudit it at any time: tonado pool inspect ${address} --network ${network}`);
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
