/** What a depositor reads while `tonado deposit` runs: links on standard output, progress on standard error. */
import type { Address } from "@ton/core";
import { encode, renderSVG, renderUnicodeCompact } from "uqr";
import type { DepositResult, DepositStep } from "../client/deposit_attempts.ts";
import type { DepositLink, LinkStep } from "../client/deposit_link.ts";
import { Problem } from "../core/errors.ts";
import { flagsOf, native, sameFlags } from "./chain_options.ts";
import { payerFlags } from "./payer.ts";
import { colours, progressLine } from "./style.ts";
import { oneLine } from "./terminal_text.ts";
import type { OwnFile, Wiring } from "./wiring.ts";

/** Modules of white around the code in the terminal: a wider border does not fit into 80 columns. */
const BORDER = 1;
/** The same around the code in a file. */
const FILE_BORDER = 2;

type Options = Parameters<typeof sameFlags>[0] & Parameters<typeof payerFlags>[0] & {
  readonly from?: Address;
  readonly wait?: string;
  readonly relayer?: string;
  readonly qr?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
};

/** Whether a deposit has failed because its note was withdrawn. */
export function isSpent(error: unknown): boolean {
  return error instanceof Problem && error.code === "nullifier_already_used";
}

/** With `--json` one object a line: `pool`, `kept`, `link`, the steps, `deposited`. */
export class DepositTalk {
  readonly #progress;
  readonly #qr;
  /** Whether the next link may not be the first one that somebody saw. */
  #resumed;

  /** @param given `qr`: where the code goes, too; `resumed`: an earlier run may have shown links of this note */
  constructor(
    readonly wiring: Wiring,
    readonly options: Options,
    readonly id: string,
    given: { readonly qr?: OwnFile; readonly resumed?: boolean } = {},
  ) {
    this.#progress = progressLine(wiring.stderr);
    this.#qr = given.qr;
    this.#resumed = given.resumed === true;
  }

  /** Before a link is shown: where it pays, and who says so. */
  pool(pool: { readonly key: string; readonly address: string; takes: string; registry: string }): void {
    if (this.#event({ event: "pool", ...pool })) return;
    const { key, address, takes, registry } = pool;
    this.#say(`${this.#bold(key)} takes exactly ${takes}; ${address} by ${registry}`);
  }

  /** @param made whether by this run; of another one nobody here knows what was sent for it */
  kept(made: boolean): void {
    if (this.#event({ event: "kept", id: this.id, ...!made && { resumed: true } })) return;
    const sent = made
      ? "nothing is sent yet"
      : "an earlier run may have sent its money: the pool is read first";
    this.#say(`note ${this.#bold(this.id)} is kept; ${sent}`);
  }

  step(step: DepositStep | LinkStep): void {
    if (step.step === "link") return this.#link(step.link);
    if (this.#event({ event: step.step, id: this.id, ...step, step: undefined })) return;
    const texts: Record<typeof step.step, string> = {
      syncing: "reading the pool's deposits",
      proving: "proving",
      sending: "sending",
      waiting: "sent; waiting for the pool",
      lost: "another deposit was first: proving again",
      stale: "another deposit was first: this link is worth nothing any more, what it sends comes back",
      refused: `the pool gave a deposit back: ${step.step === "refused" ? step.reason : ""}`,
      deposited: "deposited",
    };
    if (step.step === "stale" || step.step === "refused") this.#mustSay(texts[step.step]);
    else if (step.step === "lost") this.#say(texts[step.step]);
    else if (!this.options.quiet) this.#progress.update(texts[step.step], 0);
  }

  readonly proving = (fraction: number | { fraction: number }): void => {
    if (this.options.quiet || this.options.json) return;
    this.#progress.update("proving", typeof fraction === "number" ? fraction : fraction.fraction);
  };

  already(leafIndex: number): void {
    if (this.#event({ event: "deposited", id: this.id, leafIndex })) return;
    this.#say(`note ${this.#bold(this.id)} is in the pool already, as leaf ${leafIndex}`);
  }

  done({ leafIndex, timestamp, tx, attempts }: DepositResult): void {
    this.#progress.clear();
    const json = { event: "deposited", id: this.id, leafIndex, timestamp, tx: tx.hash, attempts };
    if (this.#event(json)) return;
    if (this.options.quiet) return this.wiring.stdout.write(`${this.id}\n`);
    this.#say(
      `${colours(this.wiring.stdout, this.wiring.env).green("deposited")} as leaf ${leafIndex}\n\n` +
        "Make a backup now: tonado note backup <file>\n" +
        `Withdraw later rather than sooner: tonado withdraw ${this.id} ${sameFlags(this.options)} ` +
        "--to <fresh address> --relayer <url>",
    );
  }

  /** The note is kept whatever happened; with one that is withdrawn nothing can be gone on with. */
  interrupted(error: unknown): void {
    this.#progress.clear();
    if (isSpent(error)) return;
    const { from, wait, relayer } = this.options;
    const flags = [
      sameFlags(this.options),
      payerFlags(this.options),
      flagsOf({ from: from?.toString(), wait, relayer }),
    ].filter(Boolean).join(" ");
    this.wiring.stderr.write(
      `note ${this.id} is kept; to go on: tonado deposit --note ${this.id} ${flags}\n`,
    );
  }

  #link({ url, to, amount, leafIndex }: DepositLink): void {
    this.#progress.clear();
    const { stdout } = this.wiring;
    let written = false;
    try {
      this.#qr?.write(renderSVG(url, { ecc: "L", border: FILE_BORDER }));
      written = this.#qr !== undefined;
    } catch (error) { // the link itself is below
      if (!(error instanceof Problem)) throw error;
      for (const { pointer, detail } of error.errors) {
        this.wiring.stderr.write(`${pointer}: ${oneLine(detail)}\n`);
      }
    }
    const resumed = this.#resumed;
    this.#resumed = false;
    const paid = { to: to.toRawString(), amount: String(amount), leafIndex };
    if (this.#event({ event: "link", id: this.id, url, ...paid, ...resumed && { resumed } })) return;
    if (resumed) {
      this.#mustSay(
        "This note is not in the pool. If you paid an earlier link of it and another deposit was first, what you\n" +
          "paid has come back to the wallet that paid, less gas, or is on its way: look there before you pay again.",
      );
    }
    if (this.options.quiet) return stdout.write(`${url}\n`);
    if (written) this.#say(`The QR code is written to ${this.options.qr}.`);
    this.#say(`Pay ${native(amount)} with any wallet, by this link or code:\n\n${url}\n`);
    const columns = encode(url, { ecc: "L", border: BORDER }).size;
    if (stdout.isTerminal && columns <= stdout.columns) {
      stdout.write(`${renderUnicodeCompact(url, { ecc: "L", border: BORDER })}\n\n`);
    } else if (stdout.isTerminal) {
      this.#say(`The code takes ${columns} columns: widen the terminal, or write it with --qr <file>.`);
    }
    this.#progress.update("waiting for the payment; Ctrl-C stops waiting", 0);
  }

  #event(event: object): boolean {
    if (this.options.json) this.wiring.stdout.write(JSON.stringify(event) + "\n");
    return this.options.json === true;
  }

  /** What keeps somebody from paying for nothing, or twice. With --quiet standard output stays the link's alone. */
  #mustSay(text: string): void {
    this.#progress.clear();
    const { stdout, stderr } = this.wiring;
    (this.options.quiet ? stderr : stdout).write(`${text}\n`);
  }

  #say(text: string): void {
    this.#progress.clear();
    if (!this.options.quiet) this.wiring.stdout.write(`${text}\n`);
  }

  #bold(text: string): string {
    return colours(this.wiring.stdout, this.wiring.env).bold(text);
  }
}
