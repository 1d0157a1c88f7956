/** How the answers of an audit are printed. */
import type { Check } from "../core/check.ts";
import { colours } from "./style.ts";
import { oneLine } from "./terminal_text.ts";
import type { Wiring } from "./wiring.ts";

const marks = { ok: "ok", warning: "warning", failed: "FAILED" } as const;

/** One line a check; `quiet` leaves out what is well. */
export function printChecks(
  { stdout, env }: Wiring,
  checks: readonly Check[],
  { quiet }: { readonly quiet?: boolean },
): void {
  const c = colours(stdout, env);
  const paint = { ok: c.green, warning: c.yellow, failed: c.red } as const;
  for (const { name, verdict, detail } of checks) {
    if (quiet && verdict === "ok") continue;
    stdout.write(`  ${paint[verdict](marks[verdict].padEnd(8))} ${name.padEnd(11)} ${oneLine(detail)}\n`);
  }
}
