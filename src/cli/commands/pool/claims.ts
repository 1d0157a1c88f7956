import { Command } from "commander";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { formatAmount, formatNative, parseUnits, pluralize } from "../../../core/protocol/units.ts";
import { buildTransferLink } from "../../../client/deposit/payer.ts";
import { assertNoStorageDebt } from "../../../ton/pool/storage_debt.ts";
import { buildRetryMessage, fetchRetryValue, listClaims, retryClaims } from "../../../ops/claims.ts";
import { Pool } from "../../../ton/pool/pool.ts";
import type { Claim } from "../../../ton/pool/pool_getters.ts";
import {
  addChainOptions,
  type ChainOptions,
  formatPoolAddress,
  openChain,
  parseAmountArgument,
} from "../../options/chain_options.ts";
import {
  addPayerOptions,
  openPayerWallet,
  type PayerOptions,
  requireConfirmation,
} from "../../options/payer_options.ts";
import { POLL_INTERVALS_MS } from "../../options/polling_intervals.ts";
import { resolvePoolAddress } from "../../options/pool_argument.ts";
import { usageError } from "../../options/usage_error.ts";
import { writeJson } from "../../output/print.ts";
import { type CliContext, shutdownSignal } from "../../context.ts";

interface RetryOptions extends ChainOptions, PayerOptions {
  readonly value?: string;
  readonly yes?: boolean;
}

interface OpenedClaims {
  readonly pool: Pool;
  readonly deployment?: Deployment;
  readonly claims: readonly Claim[];
}

export function poolClaimsCommand(context: CliContext): Command {
  return addChainOptions(new Command("claims"))
    .description("list payouts that a jetton pool's wallet refused; anyone may retry them")
    .argument("<pool>", "address, or a key of the registry like usdt-10")
    .addHelpText(
      "after",
      "\nThe issuer of a jetton can lock the pool's wallet or change its price. A refused payout is kept as a claim.\n\n" +
        "Examples:\n  tonado pool claims usdt-10 --network mainnet\n  tonado pool claims usdt-10 --json | jq .claims",
    )
    .action((pool: string, options: ChainOptions) => showClaims(context, pool, options));
}

export function poolRetryCommand(context: CliContext): Command {
  const command = addPayerOptions(addChainOptions(new Command("retry")))
    .description("pay claims of a jetton pool: from a wallet, or by links that any wallet can pay")
    .argument("<pool>", "address, or a key of the registry like usdt-10")
    .argument("[claims...]", "ids of claims; default: all")
    .option(
      "--value <coins>",
      "coins to attach to each claim, if the jetton wallet asks for more; default: computed",
      parseAmountArgument,
    )
    .option("--yes", "do not ask for confirmation");
  return command
    .addHelpText(
      "after",
      "\nThe claimed jettons go to their recipients; unused coins return to the payer. Without a\n" +
        "mnemonic, the command prints one link for each claim and sends nothing.\n\n" +
        "Examples:\n  tonado pool retry usdt-10 --network mainnet --mnemonic-file wallet.txt\n" +
        "  tonado pool retry usdt-10 47000005 --value 0.3",
    )
    .action((pool: string, ids: string[], options: RetryOptions) => retry(context, { pool, ids }, options));
}

async function openClaims(context: CliContext, name: string, options: ChainOptions): Promise<OpenedClaims> {
  const { chain, registry } = await openChain(context, options);
  const address = resolvePoolAddress(name, registry);
  const pool = new Pool(chain, address);
  const deployment = [...registry.pools.values()].find((listed) => listed.address.equals(address));
  const { assetKind } = await pool.getPoolInfo();
  return { pool, deployment, claims: assetKind === "native" ? [] : await listClaims(pool) };
}

async function showClaims(context: CliContext, name: string, options: ChainOptions): Promise<void> {
  const { pool, deployment, claims } = await openClaims(context, name, options);
  const address = formatPoolAddress(pool.address, options.network);
  if (options.json) {
    const { network } = options;
    return writeJson(context, { network, address, claims: claims.map((claim) => toJson(claim, options)) });
  }
  if (claims.length === 0) {
    if (!options.quiet) context.stdout.write("no claims: the pool's wallet refused nothing\n");
    return;
  }
  for (const claim of claims) context.stdout.write(`${formatClaim(claim, deployment, options)}\n`);
  if (!options.quiet) {
    context.stdout.write(
      `${pluralize(claims.length, "claim")}; pay them with \`tonado pool retry ${name}\`\n`,
    );
  }
}

async function retry(
  context: CliContext,
  { pool: name, ids }: { readonly pool: string; readonly ids: readonly string[] },
  options: RetryOptions,
): Promise<void> {
  const { pool, deployment, claims: open } = await openClaims(context, name, options);
  const claims = ids.length === 0 ? open : ids.map((id) => findClaim(open, id));
  await assertNoStorageDebt(pool.chain, pool.address, await pool.chain.account(pool.address));
  const value = options.value === undefined ? await fetchRetryValue(pool) : parseUnits(options.value);
  const wallet = await openPayerWallet(context, options, pool.chain);
  if (!wallet || claims.length === 0) {
    const testOnly = options.network !== "mainnet";
    const links = claims.map((claim) => {
      const { to, body } = buildRetryMessage(pool, claim, value);
      return { claim, url: buildTransferLink(to, value, body, testOnly) };
    });
    if (options.json) {
      const listed = links.map(({ claim, url }) => ({ ...toJson(claim, options), url }));
      return writeJson(context, { value, links: listed });
    }
    if (links.length === 0 && !options.quiet) context.stdout.write("no claims: nothing to retry\n");
    for (const { claim, url } of links) {
      context.stdout.write(
        `${options.quiet ? "" : `${formatClaim(claim, deployment, options)}\n  `}${url}\n`,
      );
    }
    return;
  }
  const total = formatNative(value * BigInt(claims.length));
  const question = `Retry ${pluralize(claims.length, "claim")} with ${total} from ${wallet.format()}?`;
  await requireConfirmation(context, options, `${question} Most of it comes back.`);
  const { paid, refused } = await retryClaims({ pool, wallet, claims, value }, {
    pollIntervalMs: POLL_INTERVALS_MS[options.network],
    signal: shutdownSignal(context),
  });
  const asJson = (all: readonly Claim[]) => all.map((claim) => toJson(claim, options));
  const asText = (outcome: string, all: readonly Claim[]) =>
    all.map((claim) => `${outcome.padEnd(8)} ${formatClaim(claim, deployment, options)}\n`);
  if (options.json) writeJson(context, { paid: asJson(paid), refused: asJson(refused) });
  else if (!options.quiet) {
    context.stdout.write([...asText("paid", paid), ...asText("refused", refused)].join(""));
  }
  if (refused.length === 0) return;
  throw new Problem(
    "contract_refused",
    `the pool's wallet refused ${pluralize(refused.length, "payout")} again: they are still claims`,
    {
      hint:
        "If the wallet is locked, wait until its issuer unlocks it. If it asks for more, use a higher --value.",
    },
  );
}

function findClaim(claims: readonly Claim[], id: string): Claim {
  const found = claims.find((claim) => String(claim.id) === id);
  if (found) return found;
  throw usageError("claims", `the pool has no claim ${id}; \`tonado pool claims\` lists them`);
}

function formatClaim(
  { id, amount, destination }: Claim,
  deployment: Deployment | undefined,
  { network }: ChainOptions,
): string {
  const amountText = deployment ? formatAmount(amount, deployment) : `${amount} of the smallest unit`;
  return `${id}  ${amountText} to ${formatPoolAddress(destination, network)}`;
}

function toJson({ id, amount, destination }: Claim, { network }: ChainOptions) {
  return { id: String(id), amount: String(amount), destination: formatPoolAddress(destination, network) };
}
