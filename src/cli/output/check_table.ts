import type { CheckResult } from "../../core/errors/check_result.ts";
import { colours } from "./progress.ts";
import { escapeLine } from "./sanitize.ts";
import type { CliContext } from "../context.ts";

const verdictLabels = { ok: "ok", warning: "warning", failed: "FAILED" } as const;

export function printChecks(
  { stdout, env }: CliContext,
  checks: readonly CheckResult[],
  { quiet }: { readonly quiet?: boolean },
): void {
  const c = colours(stdout, env);
  const paint = { ok: c.green, warning: c.yellow, failed: c.red } as const;
  for (const { name, verdict, detail } of checks) {
    if (quiet && verdict === "ok") continue;
    stdout.write(
      `  ${paint[verdict](verdictLabels[verdict].padEnd(8))} ${name.padEnd(11)} ${escapeLine(detail)}\n`,
    );
  }
}

export function failedChecks(checks: readonly CheckResult[]): string[] {
  return checks.filter(({ verdict }) => verdict === "failed").map(({ name }) => name);
}
