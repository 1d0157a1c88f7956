import { Command, InvalidArgumentError } from "commander";
import { pollUntil } from "../../../core/time/deadline.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { formatNative, parseUnits } from "../../../core/protocol/units.ts";
import { planRescue, type RescuePlan } from "../../../ops/rescue/rescue_plan.ts";
import { PIECE_VALUE_NANO, splitState } from "../../../ops/rescue/thaw_helper.ts";
import { thawThroughHelper } from "../../../ops/rescue/thaw_through_helper.ts";
import type { AccountInfo, Chain } from "../../../ton/chain.ts";
import { fetchNetworkPrices } from "../../../ton/network_prices.ts";
import { assertFunds } from "../../../ton/wallet/funds.ts";
import { confirmTransfer } from "../../../ton/wallet/transfer_inclusion.ts";
import type { CliContext } from "../../context.ts";
import {
  addChainOptions,
  type ChainOptions,
  openChain,
  parseAmountArgument,
} from "../../options/chain_options.ts";
import {
  addPayerOptions,
  openPayerWallet,
  type PayerOptions,
  requireConfirmation,
} from "../../options/payer_options.ts";
import { resolvePoolAddress } from "../../options/pool_argument.ts";
import { POLL_INTERVALS_MS } from "../../options/polling_intervals.ts";
import { usageError } from "../../options/usage_error.ts";
import { printResult, withProgressLine } from "../../output/print.ts";

type RescueOptions = ChainOptions & PayerOptions & {
  readonly years: number;
  readonly amount?: string;
  readonly yes?: boolean;
};

const DEFAULT_YEARS = 10;
const MAX_YEARS = 1_000;
const ARRIVAL_TIMEOUT_MS = 120_000;
/** A piece's value, and the fees of a message of 61 kB at today's prices, in nano. */
const PIECE_COST_NANO = PIECE_VALUE_NANO + 600_000_000n;

export function poolRescueCommand(context: CliContext): Command {
  const command = new Command("rescue")
    .description("pay for a pool's storage before it freezes, or thaw a frozen pool with its whole state")
    .argument("<pool>", "address, or a key of the registry like native-10 or native-10-g1")
    .option("--years <n>", "top the pool up to this many years of storage", parseYearsArgument, DEFAULT_YEARS)
    .option("--amount <coins>", "send this amount instead", parseAmountArgument)
    .option("--yes", "do not ask for confirmation before money is sent");
  return addChainOptions(addPayerOptions(command))
    .addHelpText(
      "after",
      "\nWithout a mnemonic, the command shows a link that any TON wallet can pay. The message does not bounce. Anyone\n" +
        "may send it, and no one can take the coins back from a pool without an owner.\n\n" +
        "A frozen pool needs its whole state in one message, which only a wallet with its mnemonic can send here. A state\n" +
        "above 65,535 bytes (version 1: about 1,100 notes deposited and withdrawn in a native pool, 1,050 in a jetton pool;\n" +
        "1,000 and 950 with the worst keys) is sent in pieces to a helper contract. A state of more than 8,192 cells or\n" +
        "2^21 bits (version 1: about 5,000 notes, 2,600 with the worst keys) cannot be sent, and the pool is lost: top it\n" +
        "up in time. If the command stops, run it again: it does not send a piece twice.\n\n" +
        "Examples:\n  tonado pool rescue native-10 --network mainnet\n" +
        "  tonado pool rescue usdt-100 --network mainnet --years 40 --mnemonic-file wallet.txt",
    )
    .action((pool: string, options: RescueOptions) => rescuePool(context, pool, options));
}

async function rescuePool(context: CliContext, pool: string, options: RescueOptions): Promise<void> {
  const { network, years } = options;
  const { chain, registry } = await openChain(context, options);
  const address = resolvePoolAddress(pool, registry);
  const deployment = [...registry.pools.values()].find((listed) => listed.address.equals(address));
  const wallet = await openPayerWallet(context, options, chain);
  const account = await chain.account(address);
  const amount = options.amount === undefined ? undefined : parseUnits(options.amount, 9);
  const prices = await fetchNetworkPrices(chain);
  const plan = await withProgressLine(context, options, (progress) =>
    planRescue({
      chain,
      prices,
      address,
      deployment,
      account,
      years,
      amount,
      onProgress: (count) => progress.update(`${count} transactions of the pool read`, 0),
    }));
  const addressText = address.toString({ bounceable: false, testOnly: network !== "mainnet" });
  const { state } = account;
  const members = { network, address: addressText, state, action: plan.kind, ...describe(plan) };
  if (!plan.message) {
    const paid = plan.paidYears.toFixed(1);
    return printResult(context, options, members, `Storage is paid for ${paid} years: nothing to send.`);
  }
  const { largeState, message: { value, init } } = plan;
  if (!wallet) {
    if (init || largeState) {
      throw usageError("--mnemonic-file", "is required: no link can carry the state of a frozen pool");
    }
    const link = `ton://transfer/${addressText}?amount=${value}`;
    const text = `Send ${formatNative(value)} to ${addressText}, without the bounce flag:\n${link}` +
      (plan.debt > 0n
        ? "\nSend nothing else to the pool before: it owes storage, and a message that bounces freezes it."
        : "");
    return printResult(context, options, { ...members, link, sent: false }, text);
  }
  const pieces = largeState ? splitState(largeState).pieces.length : 0;
  await assertFunds(wallet, value + BigInt(pieces) * PIECE_COST_NANO, "rescue");
  const what = largeState
    ? `through a contract that ${pieces} messages fill with its state`
    : init
    ? "with its whole state to thaw it"
    : "for its storage";
  const question = `Send ${formatNative(value)} from ${wallet.format()} to ${addressText} ${what}?`;
  await requireConfirmation(context, options, question);
  const pollIntervalMs = POLL_INTERVALS_MS[network];
  const transfer = largeState
    ? await withProgressLine(
      context,
      options,
      (line) =>
        thawThroughHelper({ chain, wallet, pool: address, state: largeState, value }, {
          pollIntervalMs,
          onStep: (step) =>
            step.step === "piece"
              ? line.update(`sending piece ${step.index + 1} of ${step.count}`, step.index / step.count)
              : line.update("thawing the pool", 1),
        }),
    )
    : await wallet.send([plan.message]);
  await confirmTransfer(chain, wallet, transfer, { pollIntervalMs });
  const arrived = await waitForArrival(chain, account, address, pollIntervalMs);
  const text = `${arrived.state === "active" ? "Rescued" : "Sent"}: the pool is ${arrived.state} and holds ` +
    formatNative(arrived.balance);
  printResult(context, options, { ...members, sent: true, balance: String(arrived.balance) }, text);
}

function describe({ message, paidYears, largeState, debt }: RescuePlan) {
  const withState = message?.init !== undefined || largeState !== undefined;
  return {
    paidYears: Number.isFinite(paidYears) ? paidYears : null,
    debt: String(debt),
    ...message && { value: String(message.value), withState },
    ...largeState && { pieces: splitState(largeState).pieces.length },
  };
}

async function waitForArrival(
  chain: Chain,
  before: AccountInfo,
  address: Parameters<Chain["account"]>[0],
  intervalMs: number,
): Promise<AccountInfo> {
  let account = before;
  const arrived = await pollUntil(async () => {
    account = await chain.account(address);
    return account.last?.lt !== before.last?.lt;
  }, { intervalMs, timeoutMs: ARRIVAL_TIMEOUT_MS });
  if (!arrived) {
    throw new Problem("payment_timeout", "the transfer was sent and has not arrived yet", {
      hint: "It may still arrive. Look at the wallet's transactions before you run the command again.",
    });
  }
  if (account.state === "frozen") {
    throw new Problem("rescue_refused", "the transfer arrived, and the pool is still frozen");
  }
  return account;
}

function parseYearsArgument(text: string): number {
  const years = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && years > 0 && years <= MAX_YEARS) return years;
  throw new InvalidArgumentError(`It must be a number of years up to ${MAX_YEARS}.`);
}
