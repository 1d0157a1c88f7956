import { Command } from "commander";
import { poolKey } from "../../core/protocol/deployments.ts";
import type { Deployment, Deployments } from "../../core/protocol/deployments.ts";
import { Problem } from "../../core/errors/problem.ts";
import { fieldToHex } from "../../core/crypto/field.ts";
import { formatNative, pluralize } from "../../core/protocol/units.ts";
import { DepositQueueReader } from "../../client/settlement/deposit_queue.ts";
import {
  type SettledBatch,
  settleDeposits,
  type SettleStep,
} from "../../client/settlement/settle_deposits.ts";
import { fetchSettlementOffer } from "../../client/settlement/settlement_offer.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import {
  addChainOptions,
  type ChainOptions,
  formatPoolAddress,
  openChain,
} from "../options/chain_options.ts";
import {
  addPayerOptions,
  assertCanConfirm,
  openPayerWallet,
  type PayerOptions,
  requireConfirmation,
} from "../options/payer_options.ts";
import { POLL_INTERVALS_MS } from "../options/polling_intervals.ts";
import { usageError } from "../options/usage_error.ts";
import { printResult, printWarning, withProgressLine, writeJson } from "../output/print.ts";
import type { ProgressLine } from "../output/progress.ts";
import { type CliContext, shutdownSignal, withProver } from "../context.ts";

interface SettleCommandOptions extends ChainOptions, PayerOptions {
  readonly batches?: string;
  readonly yes?: boolean;
}

export function settleCommand(context: CliContext): Command {
  const command = new Command("settle")
    .description("add the waiting deposits of a version 2 pool to its tree, paid by your wallet")
    .argument("<pool>", "key of the registry, like native-10-v2")
    .option("--batches <n>", "maximum number of batches of 16 deposits; default: all that wait")
    .option("--yes", "do not ask for confirmation");
  return addChainOptions(addPayerOptions(command))
    .addHelpText(
      "after",
      "\nAnyone can settle, because the proof needs no secret. The pool pays a reward that grows with the number of\n" +
        "deposits and with the time that they waited. Your wallet becomes public as the settler: use one that is not\n" +
        "linked to your notes.\n\n" +
        "Examples:\n  tonado settle native-10-v2 --network mainnet --mnemonic-file wallet.txt\n" +
        "  tonado settle native-10-v2 --batches 1 --yes --json",
    )
    .action((pool: string, options: SettleCommandOptions) => settle(context, pool, options));
}

async function settle(context: CliContext, key: string, options: SettleCommandOptions): Promise<void> {
  const maxBatches = parseBatches(options.batches);
  const { chain, registry } = await openChain(context, options);
  const deployment = findVersion2Pool(key, registry);
  const pool = new V2Pool(chain, deployment.address);
  const wallet = await openPayerWallet(context, options, chain);
  if (!wallet) {
    throw usageError("--mnemonic-file", "is required: the proof names the wallet that sends the settlement");
  }
  const signal = shutdownSignal(context);
  const reader = new DepositQueueReader(pool);
  const queue = await withProgressLine(
    context,
    options,
    (line) =>
      reader.read({
        signal,
        onProgress: (transactions) => showStep(line, { step: "reading", transactions }),
      }),
  );
  if (queue.waiting.length === 0) {
    return printResult(context, options, { settled: [], waiting: 0 }, `${key}: no deposit waits`);
  }
  const { value, cost, reward } = await fetchSettlementOffer(pool, {
    waiting: queue.waiting.length,
    assetKind: deployment.asset === "native" ? "native" : "jetton",
    now: context.now(),
    signal,
  });
  if (!options.json && !options.quiet) {
    context.stdout.write(
      `${pluralize(queue.waiting.length, "deposit")} waiting in ${poolKey(deployment)}, ${
        formatPoolAddress(deployment.address, options.network)
      }\n` +
        `The first settlement carries ${formatNative(value)} and costs about ${
          formatNative(cost)
        }.\nThe rest returns, with a reward of about ${formatNative(reward)}.\n`,
    );
  }
  if (!options.json) printWarning(context, "your wallet will be public as the settler of these deposits");
  assertCanConfirm(context, options);
  await requireConfirmation(context, options, `Settle them from ${wallet.format()}?`);
  const batches = await withProgressLine(
    context,
    options,
    (line) =>
      withProver(context, (prover) =>
        settleDeposits({ pool, wallet, prover, maxBatches, reader }, {
          pollIntervalMs: POLL_INTERVALS_MS[options.network],
          signal,
          onStep(step) {
            showStep(line, step);
            if (step.step !== "settled" || options.json || options.quiet) return;
            line.clear();
            context.stdout.write(`${formatBatch(step.batch)}\n`);
          },
        })),
  );
  showResult(context, options, batches, (await pool.getNextIndex()) - (await pool.getSettled()));
}

function parseBatches(text: string | undefined): number {
  if (text === undefined) return Infinity;
  if (!/^[1-9][0-9]{0,6}$/.test(text)) {
    throw usageError("--batches", "must be a number of batches, at least 1");
  }
  return Number(text);
}

/** Throws `invalid_config` for an unknown key, and for a pool of version 1, whose deposits need no settlement. */
function findVersion2Pool(key: string, { pools, network }: Deployments): Deployment {
  const found = pools.get(key);
  if (found?.version === 2) return found;
  const keys = [...pools].filter(([, { version }]) => version === 2).map(([name]) => name).join(", ");
  const detail = found
    ? `${key} is a version 1 pool: its deposits are in the tree at once`
    : `the registry has no pool ${key}`;
  throw new Problem("invalid_config", detail, {
    hint: keys
      ? `Version 2 pools on ${network}: ${keys}.`
      : `There is no version 2 pool on ${network} in this registry.`,
  });
}

function showStep(line: ProgressLine, step: SettleStep): void {
  switch (step.step) {
    case "reading":
      return line.update(`reading the pool's history: ${pluralize(step.transactions, "transaction")}`, 0);
    case "proving":
      return line.update("proving the settlement", step.fraction);
    case "waiting":
      return line.update(
        `waiting ${step.seconds} s: at most one settlement in 30 s may be smaller than 16 deposits`,
        0,
      );
    case "sent":
      return line.update("sent; waiting for the pool", 1);
    case "lost":
      return line.update("another settlement came first; reading what is left", 0);
  }
}

function formatBatch({ first, end, cost }: SettledBatch): string {
  const leaves = end - first === 1 ? `leaf ${first}` : `leaves ${first} to ${end - 1}`;
  const money = cost < 0n ? `earned ${formatNative(-cost)}` : `cost ${formatNative(cost)}`;
  return `settled ${leaves}, ${money}`;
}

function showResult(
  context: CliContext,
  { json, quiet }: SettleCommandOptions,
  batches: readonly SettledBatch[],
  waiting: number,
): void {
  if (json) {
    const settled = batches.map(({ first, end, root, tx, cost }) => ({
      first,
      end,
      root: fieldToHex(root),
      tx: tx.hash,
      cost: String(cost),
    }));
    return writeJson(context, { settled, waiting });
  }
  if (!quiet && waiting > 0) context.stdout.write(`still waiting: ${pluralize(waiting, "deposit")}\n`);
}
