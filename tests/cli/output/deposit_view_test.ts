import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import type { DepositResult } from "../../../src/client/deposit/deposit_events.ts";
import type { CliContext } from "../../../src/cli/context.ts";
import { DepositView } from "../../../src/cli/output/payment/deposit_view.ts";

/** Returns the printed output for a deposit. */
function printed(...args: Parameters<DepositView["showDeposited"]>): string {
  let text = "";
  const output = { isTerminal: false, columns: 80, write: (part: string) => void (text += part) };
  const context = { stdout: output, stderr: output, env: {} } as unknown as CliContext;
  new DepositView(context, { network: "testnet" }, "12ab").showDeposited(...args);
  return text;
}

const result = { leafIndex: 5, timestamp: 7, tx: { lt: 1n, hash: "cd" }, attempts: 1 } as DepositResult;

Deno.test("only a deposit that a version 2 pool has queued is announced as waiting for its settlement", () => {
  match(printed(result, true), /^deposited as leaf 5; it can be withdrawn once it is settled/);
  for (const text of [printed(result), printed(result, false)]) {
    match(text, /^deposited as leaf 5\n\nMake a backup now/);
    doesNotMatch(text, /settled/);
  }
});

Deno.test("on a terminal, the next command is split between its flags, and no character of it is lost", () => {
  let text = "";
  const output = { isTerminal: true, columns: 70, write: (part: string) => void (text += part) };
  const options = { network: "testnet", registry: "/a/folder with spaces/it's here/pools.json" } as const;
  new DepositView({ stdout: output, stderr: output, env: {} } as unknown as CliContext, options, "12ab")
    .showDeposited(result);
  const command = text.slice(text.indexOf("tonado withdraw"));
  deepEqual(command.split("\n").map((line) => line.length > 70), [false, false, false, false]);
  equal(
    command.replaceAll(" \\\n  ", " "),
    "tonado withdraw 12ab --network testnet --registry '/a/folder with spaces/it'\\''s here/pools.json' " +
      "--to <fresh address> --relayer <url>\n",
  );
});
