import { Command } from "commander";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { formatAmount, formatNative, parseUnits, pluralize } from "../../../core/protocol/units.ts";
import { assertNoStorageDebt } from "../../../ton/pool/storage_debt.ts";
import {
  fetchRetryValue,
  listClaims,
  retryClaims,
  type RetryPayer,
  type RetryResult,
  walletRetryPayer,
} from "../../../ops/claims.ts";
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
import {
  addConnectOptions,
  type ConnectFlags,
  connectPayer,
  type ConnectTarget,
  findConnectTarget,
  MANIFEST_HELP,
  REQUEST_SECONDS,
} from "../../options/connect_options.ts";
import { POLL_INTERVALS_MS } from "../../options/polling_intervals.ts";
import { resolvePoolAddress } from "../../options/pool_argument.ts";
import { usageError } from "../../options/usage_error.ts";
import { PaymentView } from "../../output/payment/payment_view.ts";
import { writeJson } from "../../output/print.ts";
import { type CliContext, shutdownSignal } from "../../context.ts";

/** Milliseconds. */
const CONNECT_TIMEOUT = 1_800_000;
/** After these failures of a wallet, its payment may still arrive. */
const MAY_ARRIVE: ReadonlySet<string> = new Set(["wallet_unavailable", "payment_timeout"]);

interface RetryOptions extends ChainOptions, PayerOptions, ConnectFlags {
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
  const command = addConnectOptions(addPayerOptions(addChainOptions(new Command("retry"))))
    .description("pay claims of a jetton pool, from a phone's wallet or from a wallet given by its mnemonic")
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
      "\nThe claimed jettons go to their recipients; unused coins return to the payer. A wallet on a phone is asked\n" +
        `for one payment for each claim. ${MANIFEST_HELP}\n\n` +
        "Examples:\n  tonado pool retry usdt-10 --network mainnet --mnemonic-file wallet.txt\n" +
        "  tonado pool retry usdt-10 --connect tonkeeper --manifest https://app.example/tonconnect-manifest.json\n" +
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
  const target = findConnectTarget(context, options);
  const wallet = target ? undefined : await openPayerWallet(context, options, pool.chain);
  if (claims.length === 0) {
    if (options.json) writeJson(context, { paid: [], refused: [] });
    else if (!options.quiet) context.stdout.write("no claims: nothing to retry\n");
    return;
  }
  const signal = shutdownSignal(context);
  const payOptions = { pollIntervalMs: POLL_INTERVALS_MS[options.network], clock: context.clock, signal };
  const total = formatNative(value * BigInt(claims.length));
  let result: RetryResult;
  if (target) {
    result = await retryByPhone(context, options, { target, retry: { pool, claims, value }, payOptions });
  } else if (wallet) {
    const question = `Retry ${pluralize(claims.length, "claim")} with ${total} from ${wallet.format()}?`;
    await requireConfirmation(context, options, `${question} Most of it comes back.`);
    const payer = walletRetryPayer(wallet, value);
    result = await retryClaims({ pool, payer, claims, value }, payOptions);
  } else {
    throw usageError("--connect", "or --mnemonic-file must name the wallet that pays the retry");
  }
  const { paid, refused } = result;
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

/** A connected wallet is asked for one message at a time. */
async function retryByPhone(
  context: CliContext,
  options: RetryOptions,
  { target, retry, payOptions }: {
    readonly target: ConnectTarget;
    readonly retry: Omit<Parameters<typeof retryClaims>[0], "payer">;
    readonly payOptions: Parameters<typeof retryClaims>[1] & { readonly signal: AbortSignal };
  },
): Promise<RetryResult> {
  const view = new PaymentView(context, options);
  const { signal } = payOptions;
  const connect = { network: options.network, view, signal, timeoutMs: CONNECT_TIMEOUT };
  const connected = await connectPayer(context, target, connect);
  try {
    const payer: RetryPayer = {
      maxMessages: 1,
      async pay([{ to, value, body }]) {
        const { syncUtime } = await retry.pool.chain.account(to, { signal });
        view.showRequest(`the payment of ${formatNative(value)}`, REQUEST_SECONDS);
        const request = { validUntil: syncUtime + REQUEST_SECONDS, signal };
        return await connected.pay({ to, amount: value, body: body! }, request).then(
          () => undefined,
          (error) => {
            if (error instanceof Problem && MAY_ARRIVE.has(error.code)) return error;
            throw error;
          },
        );
      },
    };
    return await retryClaims({ ...retry, payer }, payOptions);
  } finally {
    await connected.disconnect();
  }
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
