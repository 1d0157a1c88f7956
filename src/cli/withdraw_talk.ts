/** What a withdrawer reads: offers and the outcome on standard output, warnings and progress on standard error. */
import { Address } from "@ton/core";
import type { WaitedFor } from "../client/follow_withdrawal.ts";
import type { NotePayment } from "../client/note_payment.ts";
import type { NoteRecord } from "../client/note_store.ts";
import type { RelayerClient, WithdrawalStatus } from "../client/relayer_client.ts";
import type { RelayerQuote } from "../client/relayer_quotes.ts";
import type { Deployment } from "../core/deployments.ts";
import { Problem, type ProblemCode, type ProblemDetail } from "../core/errors.ts";
import { counted, formatAmount } from "../core/units.ts";
import { flagsOf, sameFlags } from "./chain_options.ts";
import { mustAgree, payerFlags } from "./payer.ts";
import { colours, progressLine, stageLine } from "./style.ts";
import { oneLine } from "./terminal_text.ts";
import type { Wiring } from "./wiring.ts";

type Options = Parameters<typeof sameFlags>[0] & Parameters<typeof payerFlags>[0] & {
  readonly fast?: boolean;
  readonly refund?: string;
  readonly maxFee?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly yes?: boolean;
  readonly self?: boolean;
  readonly relayer?: readonly string[];
  readonly recipientCheck: boolean;
  readonly restart?: boolean;
};

/** Faults after which no withdrawal can be gone on with. */
const OVER: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "nullifier_already_used",
  "paid_elsewhere",
  "commitment_not_found",
  "unpayable_recipient",
]);

/** With `--json` one object a line: `quotes`, `warning`, `status`, `withdrawn`. */
export class WithdrawTalk {
  readonly #progress;
  readonly #stages;
  /** Those that were told of. */
  readonly #inUse = new Set<RelayerClient>();

  constructor(
    readonly wiring: Wiring,
    readonly options: Options,
    readonly record: NoteRecord,
    readonly deployment: Deployment,
  ) {
    this.#progress = progressLine(wiring.stderr);
    this.#stages = stageLine(wiring.stderr, options);
  }

  quotes(quotes: readonly RelayerQuote[], refused: readonly ProblemDetail[]): void {
    this.#progress.clear();
    const shown = quotes.map(({ relayer, fee }) => ({ relayer: relayer.baseUrl, fee: String(fee) }));
    if (this.#event({ event: "quotes", quotes: shown, refused })) return;
    for (const { relayer, fee } of quotes) this.#say(`  ${this.#units(fee).padEnd(14)} ${relayer.baseUrl}`);
    for (const { pointer, detail } of refused) {
      this.#say(`  ${"unusable".padEnd(14)} ${pointer}: ${oneLine(detail)}`);
    }
  }

  readonly waiting = (silent: readonly RelayerClient[], ms: number, patienceMs: number): void => {
    const urls = silent.map(({ baseUrl }) => baseUrl).join(", ");
    this.#stages.update(`waiting for ${urls}, ${patienceMs / 1000} s at most`, ms / patienceMs);
  };

  readonly asking = ({ baseUrl }: RelayerClient): void => this.#stages.update(`asking ${baseUrl}`, 0);

  warn(name: string, text: string): void {
    this.#progress.clear();
    if (this.#event({ event: "warning", name, text })) return;
    const { stderr, env } = this.wiring;
    stderr.write(`${colours(stderr, env).yellow("warning")}: ${oneLine(text)}\n`);
  }

  /** Said before it happens, with --quiet, too: it cannot be taken back. */
  checking(endpoint: string): void {
    this.#progress.clear();
    this.wiring.stderr.write(
      `asking ${endpoint} about the recipient, which names it there; --no-recipient-check leaves that out\n`,
    );
  }

  async agree(recipient: Address, { fee, through }: { fee: bigint; through: string }): Promise<void> {
    this.#progress.clear();
    const paid = this.#units(this.deployment.denomination - fee);
    const to = this.#address(recipient);
    await mustAgree(
      this.wiring,
      this.options,
      `Pay ${paid} to ${to} through ${through}, fee ${this.#units(fee)}?`,
    );
  }

  resuming(relayer: string): void {
    if (!this.#event({ event: "resuming", relayer })) {
      this.#say(`a withdrawal through ${relayer} is under way`);
    }
  }

  reading(leaves: number): void {
    if (!this.options.quiet) this.#progress.update(`${counted(leaves, "deposit")} read`, 0);
  }

  readonly proving = ({ fraction }: { readonly fraction: number }): void => {
    if (!this.options.quiet) this.#progress.update("proving", fraction);
  };

  readonly status = ({ state }: WithdrawalStatus, { relayer, ms, patienceMs, inUse }: WaitedFor): void => {
    const [waited, most] = [ms, patienceMs].map((time) => Math.round(time / 1000));
    if (inUse && !this.#inUse.has(relayer)) {
      this.#inUse.add(relayer);
      const told = `${relayer.baseUrl} says that the note is in use, by a withdrawal that it had before`;
      const left = most > 0
        ? `it has ${most} s to finish it, and Ctrl-C loses nothing`
        : "it has had its time to finish it";
      this.warn("in-use", `${told}: ${left}`);
    }
    const relayerSays = state; // its word, before the chain is asked
    if (this.#event({ event: "status", relayer: relayer.baseUrl, relayerSays, waited, most })) return;
    const what = inUse ? "in use" : "submitted, the relayer says";
    if (!this.options.quiet) {
      this.#progress.update(`${what}: ${state}, ${waited} of ${most} s`, ms / patienceMs);
    }
  };

  /** Which attempts may be first, and pay others than `recipient`. */
  others({ withdrawal, earlier = [] }: NoteRecord, recipient: Address): void {
    const attempts = [...earlier, ...withdrawal ? [withdrawal] : []].map((each) =>
      Address.parse(each.recipient)
    );
    const others = new Set(
      attempts.filter((each) => !each.equals(recipient)).map((each) => this.#address(each)),
    );
    for (const other of others) {
      this.warn(
        "earlier",
        `a withdrawal that was cut off may still pay ${other}, and then this one pays nothing`,
      );
    }
  }

  /** The fault of a payment that went to another one than was meant. */
  elsewhere({ tx, recipient, fee }: NotePayment): Problem {
    const what = `${this.#units(this.deployment.denomination - fee)} to ${this.#address(recipient)}`;
    return new Problem(
      "paid_elsewhere",
      `the note has paid ${what}, in transaction ${tx}, and nothing to anybody else`,
    );
  }

  done(state: string, { tx, recipient, fee }: NotePayment): void {
    this.#progress.clear();
    const to = this.#address(recipient);
    const paid = this.deployment.denomination - fee;
    const sums = { paid: String(paid), fee: String(fee) };
    const { id } = this.record;
    if (this.#event({ event: "withdrawn", id, state, recipient: to, ...sums, tx })) return;
    if (this.options.quiet) return this.wiring.stdout.write(`${tx}\n`);
    const { stdout, env } = this.wiring;
    const what = `${this.#units(paid)} to ${to}, fee ${this.#units(fee)}, in transaction ${tx}`;
    this.#say(`${colours(stdout, env).green("withdrawn")}: ${what}`);
  }

  /** What can be done now. @param record as it is in the store after it */
  failed(error: unknown, { id, state, withdrawal }: NoteRecord, recipient: Address): void {
    this.#progress.clear();
    const code = error instanceof Problem ? error.code : undefined;
    if (code !== undefined && OVER.has(code)) return;
    const { fast, refund, maxFee, self, relayer, restart, recipientCheck } = this.options;
    const tooDear = code === "fee_above_limit";
    const unavailable = code === "relayer_unavailable";
    const flags = [
      sameFlags(this.options),
      payerFlags(this.options),
      flagsOf({
        fast,
        refund: refund === "0" ? undefined : refund,
        "max-fee": tooDear ? undefined : maxFee,
        "no-recipient-check": !recipientCheck,
        relayer: unavailable ? undefined : relayer,
      }),
      tooDear ? "--max-fee <more>" : "",
    ].filter(Boolean).join(" ");
    const others = unavailable ? " --relayer <another>" : "";
    const how = self ? " --self" : others || (relayer ? "" : " --relayer <url>");
    const again = `tonado withdraw ${id} --to ${this.#address(recipient)} ${flags}${how}`;
    const { stderr } = this.wiring;
    if (state !== "withdrawing" || !withdrawal) {
      return stderr.write(`note ${id} is kept, and nothing was submitted; to try again: ${again}\n`);
    }
    const ownRelayer = withdrawal.relayer !== undefined; // the store has its URL
    if (restart && withdrawal.at === this.record.withdrawal?.at) {
      const old = this.#address(Address.parse(withdrawal.recipient));
      // Without one it was proved for a wallet of its own, unless this run named relayers.
      const through = relayer ? flagsOf({ relayer }) : `--self ${payerFlags(this.options)}`;
      const on = `tonado withdraw ${id} ${sameFlags(this.options)} ${ownRelayer ? "" : through}`.trim();
      return stderr.write(
        `note ${id} is kept, and nothing new was submitted; to try again: ${again} --restart\n` +
          `or to go on with what was cut off, which pays ${old}: ${on}\n`,
      );
    }
    const on = `tonado withdraw ${id} ${flags}${!self && ownRelayer ? others : how}`;
    stderr.write(`note ${id} is kept, and what was to be submitted; to go on: ${on}\n`);
  }

  #units(amount: bigint): string {
    return formatAmount(amount, this.deployment);
  }

  #address(address: Address): string {
    return address.toString({ bounceable: false, testOnly: this.options.network !== "mainnet" });
  }

  #event(event: object): boolean {
    if (!this.options.json) return false;
    this.wiring.stdout.write(JSON.stringify(event) + "\n");
    return true;
  }

  #say(text: string): void {
    if (!this.options.quiet) this.wiring.stdout.write(`${text}\n`);
  }
}
