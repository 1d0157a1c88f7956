import { formatUnits, NATIVE_DECIMALS, NATIVE_SYMBOL } from "../../../core/protocol/units.ts";
import type { CliContext } from "../../context.ts";
import { colours, progressLine } from "../../output/progress.ts";
import { writeJson } from "../../output/print.ts";
import type { BalanceChange, DemoEvent } from "./events.ts";

type EventOf<Name extends DemoEvent["event"]> = Extract<DemoEvent, { readonly event: Name }>;

export function jsonPrinter({ stdout }: CliContext): (event: DemoEvent) => void {
  return (event) => writeJson({ stdout }, event);
}

export function textPrinter(context: CliContext): (event: DemoEvent) => void {
  const view = new DemoView(context);
  return (event) => view.show(event);
}

class DemoView {
  readonly #stdout;
  readonly #colours;
  readonly #progress;
  #unit = { symbol: NATIVE_SYMBOL, decimals: NATIVE_DECIMALS };
  /** Its demo has no relayer. */
  #isVersion2 = false;

  constructor({ stdout, env }: CliContext) {
    this.#stdout = stdout;
    this.#colours = colours(stdout, env);
    this.#progress = progressLine(stdout);
  }

  show(event: DemoEvent): void {
    if (event.event === "proving") {
      return this.#progress.update(`proving ${event.what}: ${event.stage}`, event.fraction);
    }
    this.#progress.clear();
    switch (event.event) {
      case "started":
        return this.#showStarted(event);
      case "deposited":
        this.#fact(
          `leaf ${event.leafIndex}`,
          `commitment ${short(event.commitment)} ${this.#seconds(event)}`,
        );
        if (event.comment) this.#fact("", `by the comment ${event.comment.slice(0, 14)}…`);
        if (event.root) this.#fact("", `root is now ${short(event.root)}`);
        return;
      case "settled":
        return this.#showSettled(event);
      case "tree_rebuilt":
        return this.#showTree(event);
      case "proved":
        return this.#fact("proof", `Groth16 over BLS12-381, on worker threads ${this.#seconds(event)}`);
      case "submitted":
        return this.#showSubmitted(event);
      case "confirmed":
        return this.#fact("confirmed", `transaction ${short(event.tx)} ${this.#seconds(event)}`);
      case "balances":
        return this.#showBalances(event);
      case "native_balances":
        this.#showChanges(event.accounts, NATIVE_DECIMALS);
        return this.#step("Double-spend attempts with the same note");
      case "double_spend_refused":
        return this.#fact(event.by, `${this.#colours.green("refused")}: ${event.reason}`);
      case "finished":
        return this.#showFinished(event);
    }
  }

  #showStarted({ asset, decimals, indexer, relayer, pool, denomination, keys }: EventOf<"started">): void {
    this.#isVersion2 = relayer === undefined;
    if (asset !== "native") this.#unit = { symbol: asset.toUpperCase(), decimals };
    this.#step(`A local network${relayer ? ", a pool and a relayer" : " and a version 2 pool"}`);
    this.#fact("indexer", indexer);
    if (relayer) this.#fact("relayer", relayer);
    this.#fact("pool", `${pool}, accepts exactly ${this.#amount(denomination)}`);
    this.#fact("keys", this.#colours.yellow(keys));
    this.#step(relayer ? "Three deposits" : "Three deposits, each a plain transfer without a proof");
  }

  #showSettled({ leaves, root, cost, ...timing }: EventOf<"settled">): void {
    this.#step("One settlement, by anyone, puts them into the tree");
    this.#fact("root", `${short(root)}, of ${leaves} leaves ${this.#seconds(timing)}`);
    this.#fact(
      "cost",
      `${this.#colours.cyan(formatUnits(cost))} ${NATIVE_SYMBOL} for the settler, after the pool's reward`,
    );
    this.#step("Two withdrawals in one message, to a fresh address");
  }

  #showTree({ leaves, root }: EventOf<"tree_rebuilt">): void {
    this.#step("One withdrawal, to a fresh address, through the relayer");
    this.#fact(
      "tree",
      `${leaves} leaves rebuilt from /tree/commitments: the relayer never learns which one is ours`,
    );
    this.#fact("root", `${short(root)}, known to the pool`);
  }

  #showSubmitted({ seqno, fee, refund }: EventOf<"submitted">): void {
    const refundText = refund > 0n
      ? `, adding ${this.#colours.cyan(formatUnits(refund))} ${NATIVE_SYMBOL}`
      : "";
    this.#fact("relayer", `sent it with seqno ${seqno}, for a fee of ${this.#amount(fee)}${refundText}`);
  }

  #showBalances({ accounts }: EventOf<"balances">): void {
    const isNative = this.#unit.symbol === NATIVE_SYMBOL;
    this.#step(isNative ? "Balances, to the nano" : "Balances, to the smallest unit");
    this.#showChanges(accounts, this.#unit.decimals);
    this.#step(
      isNative || this.#isVersion2
        ? "Double-spend attempts with the same note"
        : "Native coins: the recipient's first, paid by the relayer",
    );
  }

  #showChanges(accounts: readonly BalanceChange[], decimals: number): void {
    for (const { account, before, after } of accounts) {
      const change = after - before;
      const signed = `${change < 0n ? "" : "+"}${formatUnits(change, decimals)}`;
      const paint = change < 0n ? this.#colours.red : this.#colours.green;
      this.#fact(
        account,
        `${formatUnits(before, decimals)} → ${formatUnits(after, decimals)}  ${paint(signed)}`,
      );
    }
  }

  #showFinished({ milliseconds }: EventOf<"finished">): void {
    const seconds = (milliseconds / 1000).toFixed(1);
    this.#line(
      `\n${this.#colours.green("Done")} in ${seconds} s. Every step ran on the local network above.`,
    );
  }

  #line(text: string): void {
    this.#stdout.write(`${text}\n`);
  }

  #step(title: string): void {
    this.#line(`\n${this.#colours.bold(title)}`);
  }

  #fact(name: string, value: string): void {
    this.#line(`  ${this.#colours.dim(name.padEnd(12))} ${value}`);
  }

  #amount(units: bigint): string {
    return `${this.#colours.cyan(formatUnits(units, this.#unit.decimals))} ${this.#unit.symbol}`;
  }

  #seconds({ milliseconds }: { readonly milliseconds: number }): string {
    return this.#colours.dim(`(${(milliseconds / 1000).toFixed(1)} s)`);
  }
}

function short(hex: string): string {
  return `${hex.slice(0, 10)}…${hex.slice(-8)}`;
}
