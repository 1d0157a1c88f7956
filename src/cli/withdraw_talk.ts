/** What a withdrawer reads: offers and the outcome on standard output, warnings and progress on standard error. */
import type { Address } from "@ton/core";
import type { NoteRecord } from "../client/note_store.ts";
import type { WithdrawalStatus } from "../client/relayer_client.ts";
import type { RelayerQuote } from "../client/relayer_quotes.ts";
import type { Deployment } from "../core/deployments.ts";
import type { ProblemDetail } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import { units } from "./chain_options.ts";
import { mustAgree } from "./payer.ts";
import { colours, progressLine } from "./style.ts";
import type { Wiring } from "./wiring.ts";

interface Options {
  readonly network: Network;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly yes?: boolean;
}

/** With `--json` one object a line: `quotes`, `warning`, `status`, `withdrawn`. */
export class WithdrawTalk {
  readonly #progress;

  constructor(
    readonly wiring: Wiring,
    readonly options: Options,
    readonly record: NoteRecord,
    readonly deployment: Deployment,
  ) {
    this.#progress = progressLine(wiring.stderr);
  }

  quotes(quotes: readonly RelayerQuote[], refused: readonly ProblemDetail[]): void {
    const shown = quotes.map(({ relayer, fee }) => ({ relayer: relayer.baseUrl, fee: String(fee) }));
    if (this.#event({ event: "quotes", quotes: shown, refused })) return;
    for (const { relayer, fee } of quotes) this.#say(`  ${this.#units(fee).padEnd(14)} ${relayer.baseUrl}`);
    for (const { pointer, detail } of refused) this.#say(`  ${"unusable".padEnd(14)} ${pointer}: ${detail}`);
  }

  warn(name: string, text: string): void {
    this.#progress.clear();
    if (this.#event({ event: "warning", name, text })) return;
    const { stderr, env } = this.wiring;
    stderr.write(`${colours(stderr, env).yellow("warning")}: ${text}\n`);
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
    if (!this.options.quiet) this.#progress.update(`${leaves} deposits read`, 0);
  }

  readonly proving = ({ fraction }: { readonly fraction: number }): void => {
    if (!this.options.quiet) this.#progress.update("proving", fraction);
  };

  readonly status = ({ state }: WithdrawalStatus): void => {
    if (this.#event({ event: "status", state })) return;
    if (!this.options.quiet) this.#progress.update(`submitted: ${state}`, 1);
  };

  done(tx: string | undefined, recipient: Address, state: string, fee: bigint): void {
    this.#progress.clear();
    const to = this.#address(recipient);
    const paid = this.deployment.denomination - fee;
    const sums = { paid: String(paid), fee: String(fee) };
    const { id } = this.record;
    if (this.#event({ event: "withdrawn", id, state, recipient: to, ...sums, tx: tx ?? null })) return;
    if (this.options.quiet) return this.wiring.stdout.write(`${tx ?? ""}\n`);
    const { stdout, env } = this.wiring;
    const what = `${this.#units(paid)} to ${to}, fee ${this.#units(fee)}`;
    this.#say(`${colours(stdout, env).green("withdrawn")}: ${what}${tx ? `, in transaction ${tx}` : ""}`);
  }

  /** Whether anything was submitted is in the store; running it again finds out. */
  interrupted(): void {
    this.#progress.clear();
    const { id } = this.record;
    this.wiring.stderr.write(
      `note ${id} is kept; to go on: tonado withdraw ${id} --network ${this.options.network}\n`,
    );
  }

  #units(amount: bigint): string {
    return units(amount, this.deployment);
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
