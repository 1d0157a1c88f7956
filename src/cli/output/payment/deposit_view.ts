import type { DepositStep } from "../../../client/deposit/deposit_attempts.ts";
import type { DepositResult } from "../../../client/deposit/deposit_events.ts";
import type { PayerDepositStep } from "../../../client/deposit/deposit_payer.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { DepositPayment, TransferDepositStep } from "../../../client/deposit/deposit_transfer.ts";
import { formatChainFlags, formatFlags, formatPoolAddress } from "../../options/chain_options.ts";
import { formatPayerFlags } from "../../options/payer_options.ts";
import type { CliContext, OutputFile } from "../../context.ts";
import { type ConnectFlags, formatConnectFlags, REQUEST_SECONDS } from "../../options/connect_options.ts";
import { PaymentView, type PaymentViewOptions } from "./payment_view.ts";
import { formatNative } from "../../../core/protocol/units.ts";

/** Why the pool returned a payment, and what to do about it. */
const RETURN_REASONS: Readonly<Record<string, string>> = {
  ERR_WRONG_DENOMINATION: "its amount was not exact. Pay exactly the amount above.",
  ERR_PAUSED: "the pool is paused. Pay again when it accepts deposits.",
  ERR_QUEUE_FULL: "too many deposits wait for settlement. Pay again later.",
  ERR_POOL_FULL: "the pool is full. Use another pool.",
};

function warnAboutReturns(takes: string): string {
  return `Send exactly ${takes} with the comment below. With the comment, another amount\n` +
    "comes back to the wallet that sent it, less fees;\n" +
    `without the comment, only exactly ${takes} comes back,\nand other amounts are lost.\n` +
    "Money that comes back to an exchange goes to a wallet that many customers share:\n" +
    "pay from there only if it sends the exact amount and the comment.\n" +
    "Do not encrypt the comment: the pool could not read it.";
}

type DepositViewOptions =
  & Parameters<typeof formatChainFlags>[0]
  & Parameters<typeof formatPayerFlags>[0]
  & ConnectFlags
  & PaymentViewOptions
  & { readonly wait?: string; readonly relayer?: string };

const WAITING = "waiting for the payment";

export function isNoteSpentError(error: unknown): boolean {
  return error instanceof Problem && error.code === "nullifier_already_used";
}

/** With `--json`, prints one object per line: `pool`, `kept`, `connect`, `connected`, the steps, `deposited`. */
export class DepositView extends PaymentView<DepositViewOptions> {
  #noteId: string | undefined;
  /** An earlier run may have asked a wallet that still pays. */
  #resumed;

  constructor(
    context: CliContext,
    options: DepositViewOptions,
    /** Undefined until {@linkcode showStored}: a new note is derived after the confirmation. */
    noteId: string | undefined,
    given: { readonly qr?: OutputFile; readonly resumed?: boolean } = {},
  ) {
    super(context, options, given.qr);
    this.#noteId = noteId;
    this.#resumed = given.resumed === true;
  }

  showPool(
    pool: {
      readonly key: string;
      readonly address: string;
      readonly takes: string;
      readonly registry: string;
      readonly version?: 2 | undefined;
    },
    { byHand }: { readonly byHand: boolean },
  ): void {
    const { key, address, takes, registry, version } = pool;
    const warning = byHand && version === 2 && key.startsWith("native-")
      ? warnAboutReturns(takes)
      : undefined;
    if (this.writeEvent({ event: "pool", ...pool, ...warning && { warning } })) return;
    this.printText(
      `${this.colours.bold(key)} accepts exactly ${takes}\n  address   ${address}\n  registry  ${registry}`,
    );
    if (warning !== undefined) this.#printAlways(warning);
  }

  showTransferStep(step: TransferDepositStep): void {
    if (step.step === "payment") return this.#showPayment(step.payment);
    const testOnly = this.options.network !== "mainnet";
    const sender = step.step === "refused"
      ? step.sender.toString({ bounceable: false, testOnly })
      : undefined;
    if (
      this.writeEvent({
        event: step.step,
        id: this.#noteId,
        ...step,
        step: undefined,
        ...sender && { sender },
      })
    ) {
      return;
    }
    if (step.step === "refused") {
      const why = RETURN_REASONS[step.reason] ?? `${step.reason}. Pay again.`;
      return this.#printAlways(
        `The pool returned a payment to ${sender}, less fees: ${why}\n` +
          "If that wallet belongs to an exchange, ask the exchange to credit you.",
      );
    }
    if (step.step === "sending" && this.isConnected) {
      return this.#showRequest("the payment");
    }
    const texts = {
      syncing: "reading the pool's deposits",
      sending: "sending",
      waiting: "sent; waiting for the pool",
    };
    if (!this.options.quiet) this.progress.update(texts[step.step], 0);
  }

  /** `made`: this run created the note. Otherwise, an earlier run may have sent money for it. */
  showStored(id: string, made: boolean): void {
    this.#noteId = id;
    if (this.writeEvent({ event: "kept", id: this.#noteId, ...!made && { resumed: true } })) return;
    const sent = made
      ? "nothing has been sent yet"
      : "an earlier run may have paid for it, so the pool is checked first";
    this.printText(`note ${this.colours.bold(this.#noteId ?? "")} is stored; ${sent}`);
  }

  showStep(step: DepositStep | PayerDepositStep): void {
    if (step.step === "paying") {
      const { leafIndex, message: { to, amount } } = step;
      const paid = { to: to.toRawString(), amount: String(amount), leafIndex };
      if (this.writeEvent({ event: "paying", id: this.#noteId, ...paid })) return;
      return this.#showRequest(`the payment of ${formatNative(amount)}`);
    }
    if (this.writeEvent({ event: step.step, id: this.#noteId, ...step, step: undefined })) return;
    const texts: Record<typeof step.step, string> = {
      syncing: "reading the pool's deposits",
      proving: "proving",
      sending: "sending",
      waiting: "sent; waiting for the pool",
      lost: "another deposit landed first; creating a new proof",
      stale: "another deposit landed first. Decline the open request in the wallet; a new one follows",
      refused: `the pool returned a deposit: ${step.step === "refused" ? step.reason : ""}`,
      deposited: "deposited",
    };
    if (step.step === "stale" || step.step === "refused") this.#printAlways(texts[step.step]);
    else if (step.step === "lost") this.printText(texts[step.step]);
    else if (!this.options.quiet) this.progress.update(texts[step.step], 0);
  }

  readonly showProving = (fraction: number | { fraction: number }): void => {
    if (this.options.quiet || this.options.json) return;
    this.progress.update("proving", typeof fraction === "number" ? fraction : fraction.fraction);
  };

  showAlreadyDeposited(leafIndex: number): void {
    if (this.writeEvent({ event: "deposited", id: this.#noteId, leafIndex })) return;
    this.printText(
      `note ${this.colours.bold(this.#noteId ?? "")} is already in the pool, as leaf ${leafIndex}`,
    );
  }

  /** `waits`: a version 2 pool has queued the deposit. */
  showDeposited({ leafIndex, timestamp, tx, attempts }: DepositResult, waits = false): void {
    this.progress.clear();
    const json = { event: "deposited", id: this.#noteId, leafIndex, timestamp, tx: tx.hash, attempts };
    if (this.writeEvent(json)) return;
    if (this.options.quiet) return this.context.stdout.write(`${this.#noteId}\n`);
    this.printText(
      `${this.colours.green("deposited")} as leaf ${leafIndex}` +
        (waits ? "; it can be withdrawn once it is settled, which relayers do by themselves\n\n" : "\n\n") +
        "Make a backup now: tonado note backup <file>\n" +
        this.formatCommand(
          "For better privacy, wait for more deposits before you withdraw:",
          `tonado withdraw ${this.#noteId} ${
            formatChainFlags(this.options)
          } --to <fresh address> --relayer <url>`,
        ),
    );
  }

  /** The stored note is never removed. */
  showNextSteps(error: unknown): void {
    this.progress.clear();
    if (isNoteSpentError(error)) return;
    const { wait, relayer } = this.options;
    const flags = [
      formatChainFlags(this.options),
      formatPayerFlags(this.options),
      formatConnectFlags(this.options),
      formatFlags({ wait, relayer }),
    ].filter(Boolean).join(" ");
    const { stderr } = this.context;
    const [id, command] = [this.#noteId, `tonado deposit --note ${this.#noteId} ${flags}`];
    stderr.write(`${this.formatCommand(`note ${id} is stored; to continue:`, command, stderr)}\n`);
  }

  #showPayment({ url, to, amount, comment }: DepositPayment): void {
    const facts = {
      url,
      to: formatPoolAddress(to, this.options.network),
      amount: String(amount),
      comment,
    };
    const text = `Pay from any wallet that can send a comment:\n\n  to       ${facts.to}\n` +
      `  amount   exactly ${formatNative(amount)} (older wallets show TON)\n  comment\n${comment}\n\n` +
      `Or open this link, which never expires, or scan its QR code:\n\n${url}\n`;
    this.showUrl(url, { event: "payment", id: this.#noteId, ...facts }, text, WAITING);
  }

  #showRequest(what: string): void {
    if (this.#resumed) {
      this.#printAlways(
        "This note is not in the pool. If a wallet still shows an earlier request for it, decline that one.",
      );
    }
    this.#resumed = false;
    this.showRequest(what, REQUEST_SECONDS);
  }

  /** Prints what prevents a wasted or double payment; with --quiet on standard error. */
  #printAlways(text: string): void {
    this.progress.clear();
    const { stdout, stderr } = this.context;
    (this.options.quiet ? stderr : stdout).write(`${text}\n`);
  }
}
