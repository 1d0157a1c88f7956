import { Address } from "@ton/core";
import type { WithdrawalWaitProgress } from "../../client/withdrawal/withdrawal_wait.ts";
import type { NotePayment } from "../../client/notes/note_payment.ts";
import type { NoteRecord, WithdrawalAttempt } from "../../client/notes/note_store.ts";
import type { RelayerClient, WithdrawalStatus } from "../../client/relayer/relayer_client.ts";
import type { RelayerQuote } from "../../client/relayer/relayer_quotes.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import { Problem, type ProblemCode, type ProblemDetail } from "../../core/errors/problem.ts";
import { formatAmount, pluralize } from "../../core/protocol/units.ts";
import { formatChainFlags, formatFlags } from "../options/chain_options.ts";
import { formatPayerFlags, requireConfirmation } from "../options/payer_options.ts";
import { stageProgressLine } from "./progress.ts";
import { escapeLine } from "./sanitize.ts";
import type { CliContext } from "../context.ts";
import type { WithdrawOptions } from "../options/withdraw_options.ts";
import { CommandView, printWarning } from "./print.ts";

const FINAL_CODES: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "nullifier_already_used",
  "note_paid_elsewhere",
  "commitment_not_found",
  "unpayable_recipient",
]);

/** With `--json`, prints one object per line: `quotes`, `warning`, `status`, `withdrawn`. */
export class WithdrawView extends CommandView<WithdrawOptions> {
  readonly #stages;
  readonly #warnedInUse = new Set<RelayerClient>();

  constructor(
    context: CliContext,
    options: WithdrawOptions,
    readonly record: NoteRecord,
    readonly deployment: Deployment,
  ) {
    super(context, options);
    this.#stages = stageProgressLine(context.stderr, options);
  }

  showQuotes(quotes: readonly RelayerQuote[], refused: readonly ProblemDetail[]): void {
    this.progress.clear();
    const rows = quotes.map(({ relayer, fee }) => ({ relayer: relayer.baseUrl, fee: String(fee) }));
    if (this.writeEvent({ event: "quotes", quotes: rows, refused })) return;
    for (const { relayer, fee } of quotes) {
      this.printText(`  ${this.#formatAmount(fee).padEnd(14)} ${relayer.baseUrl}`);
    }
    for (const { pointer, detail } of refused) {
      this.printText(`  ${"unusable".padEnd(14)} ${pointer}: ${escapeLine(detail)}`);
    }
  }

  readonly showWaiting = (silent: readonly RelayerClient[], ms: number, timeoutMs: number): void => {
    const urls = silent.map(({ baseUrl }) => baseUrl).join(", ");
    this.#stages.update(`waiting for ${urls}, up to ${timeoutMs / 1000} s`, ms / timeoutMs);
  };

  readonly showAsking = ({ baseUrl }: RelayerClient): void => this.#stages.update(`asking ${baseUrl}`, 0);

  warn(name: string, text: string): void {
    this.progress.clear();
    if (this.writeEvent({ event: "warning", name, text })) return;
    printWarning(this.context, escapeLine(text));
  }

  /** Also with --quiet: the endpoint will learn the recipient, which cannot be undone. */
  announceRecipientCheck(endpoint: string): void {
    this.progress.clear();
    this.context.stderr.write(
      `asking ${endpoint} about the recipient, which reveals the address to it; --no-recipient-check skips this\n`,
    );
  }

  async confirm(recipient: Address, { fee, through }: { fee: bigint; through: string }): Promise<void> {
    this.progress.clear();
    const paid = this.#formatAmount(this.deployment.denomination - fee);
    const to = this.#formatAddress(recipient);
    await requireConfirmation(
      this.context,
      this.options,
      `Pay ${paid} to ${to} through ${through}, fee ${this.#formatAmount(fee)}?`,
    );
  }

  showResuming(relayer: string): void {
    if (!this.writeEvent({ event: "resuming", relayer })) {
      this.printText(`resuming the withdrawal through ${relayer}`);
    }
  }

  showLeavesRead(leaves: number): void {
    if (!this.options.quiet) this.progress.update(`${pluralize(leaves, "deposit")} read`, 0);
  }

  readonly showProving = ({ fraction }: { readonly fraction: number }): void => {
    if (!this.options.quiet) this.progress.update("proving", fraction);
  };

  readonly showStatus = (
    { state }: WithdrawalStatus,
    { relayer, elapsedMs: ms, timeoutMs, inUse }: WithdrawalWaitProgress,
  ): void => {
    const [waited, max] = [ms, timeoutMs].map((time) => Math.round(time / 1000));
    if (inUse && !this.#warnedInUse.has(relayer)) {
      this.#warnedInUse.add(relayer);
      const what = `${relayer.baseUrl} reports that an earlier withdrawal of this note is in progress`;
      const left = max > 0
        ? `waiting up to ${max} s for it; pressing Ctrl-C loses nothing`
        : "the time to finish it is over";
      this.warn("in-use", `${what}: ${left}`);
    }
    const relayerSays = state; // not yet confirmed by the chain
    if (this.writeEvent({ event: "status", relayer: relayer.baseUrl, relayerSays, waited, most: max })) {
      return;
    }
    const status = inUse ? "in use" : "submitted, the relayer says";
    if (!this.options.quiet) {
      this.progress.update(`${status}: ${state}, ${waited} of ${max} s`, ms / timeoutMs);
    }
  };

  /** @param attempts that the pool may still pay */
  warnOfEarlierAttempts(attempts: readonly WithdrawalAttempt[], recipient: Address): void {
    const paid = attempts.map((each) => Address.parse(each.recipient));
    const others = new Set(
      paid.filter((each) => !each.equals(recipient)).map((each) => this.#formatAddress(each)),
    );
    for (const other of others) {
      this.warn(
        "earlier",
        `an interrupted withdrawal may still pay ${other}; if it does, this one pays nothing`,
      );
    }
  }

  paidElsewhereError({ tx, recipient, fee }: NotePayment): Problem {
    const what = `${this.#formatAmount(this.deployment.denomination - fee)} to ${
      this.#formatAddress(recipient)
    }`;
    return new Problem(
      "note_paid_elsewhere",
      `the note has paid ${what}, in transaction ${tx}, and nothing to any other address`,
    );
  }

  showWithdrawn({ tx, recipient, fee }: NotePayment): void {
    this.progress.clear();
    const to = this.#formatAddress(recipient);
    const paid = this.deployment.denomination - fee;
    const sums = { paid: String(paid), fee: String(fee) };
    const { id } = this.record;
    if (this.writeEvent({ event: "withdrawn", id, state: "withdrawn", recipient: to, ...sums, tx })) return;
    if (this.options.quiet) return this.context.stdout.write(`${tx}\n`);
    const what = `${this.#formatAmount(paid)} to ${to}, fee ${this.#formatAmount(fee)}, in transaction ${tx}`;
    this.printText(`${this.colours.green("withdrawn")}: ${what}`);
  }

  showNextSteps(error: unknown, { id, state, withdrawal }: NoteRecord, recipient: Address): void {
    this.progress.clear();
    const code = error instanceof Problem ? error.code : undefined;
    if (code !== undefined && FINAL_CODES.has(code)) return;
    const { fast, refund, maxFee, self, relayer, restart, recipientCheck } = this.options;
    const overLimit = code === "fee_above_limit";
    const unavailable = code === "relayer_unavailable";
    const flags = [
      formatChainFlags(this.options),
      formatPayerFlags(this.options),
      formatFlags({
        fast,
        refund: refund === "0" ? undefined : refund,
        "max-fee": overLimit ? undefined : maxFee,
        "no-recipient-check": !recipientCheck,
        relayer: unavailable ? undefined : relayer,
      }),
      overLimit ? "--max-fee <more>" : "",
    ].filter(Boolean).join(" ");
    const others = unavailable ? " --relayer <another>" : "";
    const how = self ? " --self" : others || (relayer ? "" : " --relayer <url>");
    const again = `tonado withdraw ${id} --to ${this.#formatAddress(recipient)} ${flags}${how}`;
    const { stderr } = this.context;
    const print = (introduction: string, command: string) =>
      stderr.write(`${this.formatCommand(introduction, command, stderr)}\n`);
    if (state !== "withdrawing" || !withdrawal) {
      return print(`note ${id} is stored, and nothing was submitted; to try again:`, again);
    }
    const ownRelayer = withdrawal.relayer !== undefined; // its URL is in the store
    if (restart && withdrawal.at === this.record.withdrawal?.at) {
      const old = this.#formatAddress(Address.parse(withdrawal.recipient));
      // Without a recorded relayer it was a --self withdrawal, unless this run named relayers.
      const through = relayer ? formatFlags({ relayer }) : `--self ${formatPayerFlags(this.options)}`;
      const on = `tonado withdraw ${id} ${formatChainFlags(this.options)} ${ownRelayer ? "" : through}`
        .trim();
      print(`note ${id} is stored, and nothing new was submitted; to try again:`, `${again} --restart`);
      return print(`or to continue the interrupted withdrawal, which pays ${old}:`, on);
    }
    const on = `tonado withdraw ${id} ${flags}${!self && ownRelayer ? others : how}`;
    print(`note ${id} and its withdrawal are stored; to continue:`, on);
  }

  #formatAmount(amount: bigint): string {
    return formatAmount(amount, this.deployment);
  }

  #formatAddress(address: Address): string {
    return address.toString({ bounceable: false, testOnly: this.options.network !== "mainnet" });
  }
}
