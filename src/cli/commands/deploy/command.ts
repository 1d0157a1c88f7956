import type { Address } from "@ton/core";
import { Command, InvalidArgumentError } from "commander";
import {
  addToRegistry,
  assertRegistryWritable,
  readRegistryOrEmpty,
  workingRegistryPath,
} from "../../../config/deployments_registry.ts";
import { loadDeployConfig } from "../../../config/deploy_config.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { MAX_GENERATION } from "../../../core/protocol/pool_constants.ts";
import { parseUnits } from "../../../core/protocol/units.ts";
import { deployPool, type PoolSpec } from "../../../ops/deploy/deploy.ts";
import { fetchIssuerFacts } from "../../../ops/deploy/jetton_issuer.ts";
import { identifyJetton } from "../../../ops/deploy/jetton_identity.ts";
import { addChainOptions, parseAddressArgument, parseAmountArgument } from "../../options/chain_options.ts";
import type { CliContext } from "../../context.ts";
import { integerArgument } from "../../options/integer_argument.ts";
import { walletVersionOption } from "../../options/payer_options.ts";
import { POLL_INTERVALS_MS } from "../../options/polling_intervals.ts";
import { type DeployCommandOptions, DeployView } from "./deploy_view.ts";

export function deployCommand(context: CliContext): Command {
  const command = new Command("deploy")
    .description("deploy a pool, verify it on chain and write it into the registry")
    .requiredOption("--amount <amount>", "denomination in whole units, like 10 or 0.5", parseAmountArgument)
    .option(
      "--asset <asset>",
      "native, or the address of a jetton's master (TEP-74, TEP-89)",
      parseAsset,
      "native",
    )
    .option(
      "--symbol <id>",
      "the jetton's identifier in registry and notes; default: the symbol in its metadata",
    )
    .option(
      "--decimals <n>",
      "the jetton's decimals; default: those in its metadata, if on chain",
      integerArgument(0, 30),
    )
    .option(
      "--native-price <amount>",
      "jettons that one native coin is worth: proposes feeMin and maxRefund for relayers",
      parseAmountArgument,
    )
    .option(
      "--generation <n>",
      "0: the first pool of its denomination; 1: the successor of a full pool; 2: the next one; ...",
      integerArgument(0, MAX_GENERATION),
      0,
    )
    .option(
      "--pool-version <n>",
      "version of the contract; 2: deposits need no proof, up to 1,048,576 notes",
      integerArgument(1, 2),
      1,
    )
    .option("--owner <address>", "admin of the pool; default: the paying wallet", parseAddressArgument)
    .option("--burn-owner", "deploy without an admin; required on mainnet; also TONADO_BURN_OWNER=1")
    .option("--mnemonic-file <file>", "24 words of the paying wallet; default: TONADO_WALLET_MNEMONIC_FILE")
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
        "  tonado deploy --network testnet --amount 10 --pool-version 2 --mnemonic-file wallet.txt\n" +
        "  tonado deploy --network testnet --asset EQ... --amount 100 --pool-version 2 --mnemonic-file wallet.txt\n" +
        "  tonado deploy --network localnet --endpoint http://127.0.0.1:8081/api/v2/jsonRPC --amount 2 --yes --json",
    )
    .action((options: DeployCommandOptions) => deploy(context, options));
}

async function deploy(context: CliContext, options: DeployCommandOptions): Promise<void> {
  const errors = (["symbol", "decimals", "nativePrice"] as const)
    .filter((name) => options.asset === "native" && options[name] !== undefined)
    .map((name) => ({
      pointer: name === "nativePrice" ? "--native-price" : `--${name}`,
      detail: "is for jettons only",
    }));
  if (errors.length > 0) throw new Problem("invalid_config", undefined, { errors });
  const { network, amount } = options;
  const { endpoint, wallet: payer, burnOwner } = loadDeployConfig(options, context.env);
  const registry = options.registry ?? workingRegistryPath(network);
  const known = await readRegistryOrEmpty(network, registry);
  await assertRegistryWritable(registry);
  const chain = context.connect(options.network, endpoint);
  const wallet = await context.openWallet(payer.mnemonic, { version: payer.version, network, chain });
  const view = new DeployView(context, options, wallet);
  if (!wallet.checksumValid) {
    view.warn("the mnemonic fails TON's checksum; check that this is the right wallet");
  }

  const of = options.asset === "native"
    ? { asset: "native" }
    : withNativePrice(await identifyJetton(chain, options.asset, options), options.nativePrice);
  if (options.asset !== "native") {
    view.showIssuer(await fetchIssuerFacts(chain, { master: options.asset, owner: wallet.address }));
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
    version: options.poolVersion,
    owner: burnOwner ? null : options.owner ?? wallet.address,
    pollIntervalMs: POLL_INTERVALS_MS[network],
    onWarning: (text) => view.warn(text),
    confirm: async (order) => {
      await view.confirm(order);
      sent = true;
    },
    onTrial: (outcome) => view.noteTrial(outcome),
    onWait: (waited) => view.showWaiting(waited),
  });
  await addToRegistry(network, registry, [deployment]);
  view.showDeployed(deployment, registry, sent);
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
