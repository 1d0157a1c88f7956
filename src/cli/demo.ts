/** `tonado demo`: shows {@linkcode runDemo} to a person, or with `--json` to a program. */
import { Command, Option } from "commander";
import { Problem } from "../core/errors.ts";
import { formatUnits, NATIVE_DECIMALS } from "../core/units.ts";
import type { BalanceChange, DemoAsset, DemoEvent } from "./demo_events.ts";
import { runDemo } from "./demo_run.ts";
import { colours, progressLine } from "./style.ts";
import type { Wiring } from "./wiring.ts";

/** The command. */
export function demoCommand(wiring: Wiring): Command {
  return new Command("demo")
    .description(
      "three deposits and a relayed withdrawal on a local network, start to end, in under a minute",
    )
    .addOption(
      new Option("--asset <asset>", "what the notes are of: the native coin, or the network's jetton")
        .choices(["native", "jetton"]).default("native"),
    )
    .option("--json", "print one JSON object a line")
    .option("--quiet", "print nothing: its exit code says whether all of it happened")
    .addHelpText(
      "after",
      "\nExamples:\n  tonado demo\n  tonado demo --asset jetton\n  tonado demo --json | jq .event",
    )
    .action(async ({ json, quiet, asset }: { json?: boolean; quiet?: boolean; asset: DemoAsset }) => {
      const show = json ? printJson(wiring) : quiet ? () => {} : printText(wiring);
      const interrupted = wiring.stopped().then(() => {
        throw new Problem("cancelled");
      });
      const dataDir = await wiring.makeTempDir();
      try {
        await Promise.race([
          runDemo(wiring, dataDir, show, asset),
          interrupted,
        ]);
      } finally {
        await wiring.removeDir(dataDir);
      }
    });
}

function printJson({ stdout }: Wiring): (event: DemoEvent) => void {
  return (event) =>
    stdout.write(
      JSON.stringify(event, (_, value) => typeof value === "bigint" ? String(value) : value) + "\n",
    );
}

function printText({ stdout, env }: Wiring): (event: DemoEvent) => void {
  const c = colours(stdout, env);
  const line = (text = "") => stdout.write(`${text}\n`);
  const step = (title: string) => line(`\n${c.bold(title)}`);
  const fact = (name: string, value: string) => line(`  ${c.dim(name.padEnd(12))} ${value}`);
  let unit = { symbol: "TON", decimals: NATIVE_DECIMALS };
  const amount = (of: bigint) => `${c.cyan(formatUnits(of, unit.decimals))} ${unit.symbol}`;
  const balances = (accounts: readonly BalanceChange[], decimals: number) => {
    for (const { account, before, after } of accounts) {
      const change = after - before;
      const signed = `${change < 0n ? "" : "+"}${formatUnits(change, decimals)}`;
      const way = `${formatUnits(before, decimals)} → ${formatUnits(after, decimals)}`;
      fact(account, `${way}  ${change < 0n ? c.red(signed) : c.green(signed)}`);
    }
  };
  const refund = (nano: bigint) => nano > 0n ? `, adding ${c.cyan(formatUnits(nano))} TON` : "";
  const short = (hex: string) => `${hex.slice(0, 10)}…${hex.slice(-8)}`;
  const seconds = (milliseconds: number) => c.dim(`(${(milliseconds / 1000).toFixed(1)} s)`);
  const progress = progressLine(stdout);

  return (event) => {
    if (event.event === "proving") {
      return progress.update(`proving ${event.what}: ${event.stage}`, event.fraction);
    }
    progress.clear();
    switch (event.event) {
      case "started":
        if (event.asset !== "native") unit = { symbol: event.asset.toUpperCase(), decimals: event.decimals };
        step("A local network, a pool and a relayer");
        fact("indexer", event.indexer);
        fact("relayer", event.relayer);
        fact("pool", `${event.pool}, takes exactly ${amount(event.denomination)}`);
        fact("keys", c.yellow(event.keys));
        step("Three deposits");
        return;
      case "deposited":
        fact(
          `leaf ${event.leafIndex}`,
          `commitment ${short(event.commitment)} ${seconds(event.milliseconds)}`,
        );
        fact("", `root is now ${short(event.root)}`);
        return;
      case "tree_rebuilt":
        step("One withdrawal, to a fresh address, through the relayer");
        fact(
          "tree",
          `${event.leaves} leaves rebuilt from /tree/commitments: the relayer never learns which one is ours`,
        );
        fact("root", `${short(event.root)}, known to the pool`);
        return;
      case "proved":
        fact("proof", `Groth16 over BLS12-381, made on worker threads ${seconds(event.milliseconds)}`);
        return;
      case "submitted":
        fact(
          "relayer",
          `sent it with seqno ${event.seqno}, for a fee of ${amount(event.fee)}${refund(event.refund)}`,
        );
        return;
      case "confirmed":
        fact("confirmed", `transaction ${short(event.tx)} ${seconds(event.milliseconds)}`);
        return;
      case "balances":
        step(unit.symbol === "TON" ? "Balances, to the nano" : "Balances, to the smallest unit");
        balances(event.accounts, unit.decimals);
        if (unit.symbol !== "TON") step("Coins: the recipient's first, out of the relayer's pocket");
        else step("The same note once more");
        return;
      case "native_balances":
        balances(event.accounts, NATIVE_DECIMALS);
        step("The same note once more");
        return;
      case "double_spend_refused":
        fact(event.by, `${c.green("refused")}: ${event.reason}`);
        return;
      case "finished":
        line(
          `\n${c.green("Done")} in ${
            (event.milliseconds / 1000).toFixed(1)
          } s. All of it happened on the chain above.`,
        );
    }
  };
}
