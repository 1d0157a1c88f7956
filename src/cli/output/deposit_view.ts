import type { Address } from "@ton/core";
import { encode, renderSVG, renderUnicodeCompact } from "uqr";
import type { DepositStep } from "../../client/deposit/deposit_attempts.ts";
import type { DepositResult } from "../../client/deposit/deposit_events.ts";
import type { DepositLink, LinkDepositStep } from "../../client/deposit/deposit_link.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { DepositPayment, TransferDepositStep } from "../../client/deposit/deposit_transfer.ts";
import { formatChainFlags, formatFlags, formatPoolAddress } from "../options/chain_options.ts";
import { formatNative } from "../../core/protocol/units.ts";
import { formatPayerFlags } from "../options/payer_options.ts";
import { escapeLine } from "./sanitize.ts";
import type { CliContext, OutputFile } from "../context.ts";
import { CommandView, type OutputOptions } from "./print.ts";

const TERMINAL_QR_BORDER_MODULES = 1; // a wider border does not fit into 80 columns
const FILE_QR_BORDER_MODULES = 2;

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
    `without the comment, only exactly ${takes} comes back, and other amounts are lost.\n` +
    "Money that comes back to an exchange goes to a wallet that many customers share:\n" +
    "pay from there only if it sends the exact amount and the comment.\n" +
    "Do not encrypt the comment: the pool could not read it.";
}

type DepositViewOptions =
  & Parameters<typeof formatChainFlags>[0]
  & Parameters<typeof formatPayerFlags>[0]
  & OutputOptions
  & { readonly from?: Address; readonly wait?: string; readonly relayer?: string; readonly qr?: string };

export function isNoteSpentError(error: unknown): boolean {
  return error instanceof Problem && error.code === "nullifier_already_used";
}

/** With `--json`, prints one object per line: `pool`, `kept`, `link`, the steps, `deposited`. */
export class DepositView extends CommandView<DepositViewOptions> {
  readonly #qrFile;
  #noteId: string | undefined;
  /** An earlier run may have shown a link that was paid. */
  #resumed;

  constructor(
    context: CliContext,
    options: DepositViewOptions,
    /** Undefined until {@linkcode showStored}: a new note is derived after the confirmation. */
    noteId: string | undefined,
    given: { readonly qr?: OutputFile; readonly resumed?: boolean } = {},
  ) {
    super(context, options);
    this.#noteId = noteId;
    this.#qrFile = given.qr;
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
  ): void {
    const { key, address, takes, registry, version } = pool;
    const warning = version === 2 && key.startsWith("native-") ? warnAboutReturns(takes) : undefined;
    if (this.writeEvent({ event: "pool", ...pool, ...warning && { warning } })) return;
    this.printText(
      `${this.colours.bold(key)} accepts exactly ${takes}; address ${address}, from ${registry}`,
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

  showStep(step: DepositStep | LinkDepositStep): void {
    if (step.step === "link") return this.#showLink(step.link);
    if (this.writeEvent({ event: step.step, id: this.#noteId, ...step, step: undefined })) return;
    const texts: Record<typeof step.step, string> = {
      syncing: "reading the pool's deposits",
      proving: "proving",
      sending: "sending",
      waiting: "sent; waiting for the pool",
      lost: "another deposit landed first; creating a new proof",
      stale:
        "another deposit landed first, so the link above is no longer valid: a payment to it bounces back",
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
        `Wait for more deposits before you withdraw, for better privacy: tonado withdraw ${this.#noteId} ${
          formatChainFlags(this.options)
        } ` +
        "--to <fresh address> --relayer <url>",
    );
  }

  /** The stored note is never removed. */
  showNextSteps(error: unknown): void {
    this.progress.clear();
    if (isNoteSpentError(error)) return;
    const { from, wait, relayer } = this.options;
    const flags = [
      formatChainFlags(this.options),
      formatPayerFlags(this.options),
      formatFlags({ from: from?.toString(), wait, relayer }),
    ].filter(Boolean).join(" ");
    this.context.stderr.write(
      `note ${this.#noteId} is stored; to continue: tonado deposit --note ${this.#noteId} ${flags}\n`,
    );
  }

  #showPayment({ url, to, amount, comment }: DepositPayment): void {
    const facts = {
      url,
      to: formatPoolAddress(to, this.options.network),
      amount: String(amount),
      ...comment !== undefined && { comment },
    };
    const text = comment === undefined
      ? "Open this link with the wallet that holds the jettons, or scan its QR code.\n" +
        "It never expires. It sends " +
        `${formatNative(amount)} for fees, most of which returns:\n\n${url}\n`
      : `Pay from any wallet that can send a comment:\n\n  to       ${facts.to}\n` +
        `  amount   exactly ${formatNative(amount)}\n  comment\n${comment}\n\n` +
        `Or open this link, which never expires, or scan its QR code:\n\n${url}\n`;
    this.#showUrl(url, { event: "payment", id: this.#noteId, ...facts }, text);
  }

  #writeQrFile(url: string): boolean {
    try {
      this.#qrFile?.write(renderSVG(url, { ecc: "L", border: FILE_QR_BORDER_MODULES }));
      return this.#qrFile !== undefined;
    } catch (error) { // the link is still printed
      if (!(error instanceof Problem)) throw error;
      for (const { pointer, detail } of error.errors) {
        this.context.stderr.write(`${pointer}: ${escapeLine(detail)}\n`);
      }
      return false;
    }
  }

  #printQrCode(url: string): void {
    const { stdout } = this.context;
    const columns = encode(url, { ecc: "L", border: TERMINAL_QR_BORDER_MODULES }).size;
    if (stdout.isTerminal && columns <= stdout.columns) {
      stdout.write(`${renderUnicodeCompact(url, { ecc: "L", border: TERMINAL_QR_BORDER_MODULES })}\n\n`);
    } else if (stdout.isTerminal) {
      this.printText(
        `The QR code needs ${columns} columns: widen the terminal, or write it to a file with --qr <file>.`,
      );
    }
  }

  #showLink({ url, to, amount, leafIndex }: DepositLink): void {
    const resumed = this.#resumed;
    this.#resumed = false;
    const paid = { to: to.toRawString(), amount: String(amount), leafIndex };
    if (resumed && !this.options.json) {
      this.#printAlways(
        "This note is not in the pool. If you paid an earlier link and another deposit landed first, your payment\n" +
          "bounced back to your wallet, less gas, or is on its way back: check the wallet before you pay again.",
      );
    }
    this.#showUrl(
      url,
      { event: "link", id: this.#noteId, url, ...paid, ...resumed && { resumed } },
      `Pay ${formatNative(amount)} from any TON wallet, using this link or QR code:\n\n${url}\n`,
    );
  }

  #showUrl(url: string, event: object, text: string): void {
    this.progress.clear();
    const written = this.#writeQrFile(url);
    if (this.writeEvent(event)) return;
    if (this.options.quiet) return this.context.stdout.write(`${url}\n`);
    if (written) this.printText(`The QR code was written to ${this.options.qr}.`);
    this.printText(text);
    this.#printQrCode(url);
    this.progress.update("waiting for the payment; Ctrl-C stops waiting", 0);
  }

  /** Prints what prevents a wasted or double payment; with --quiet on standard error. */
  #printAlways(text: string): void {
    this.progress.clear();
    const { stdout, stderr } = this.context;
    (this.options.quiet ? stderr : stdout).write(`${text}\n`);
  }
}
