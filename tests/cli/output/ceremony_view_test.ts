import { deepEqual } from "node:assert/strict";
import type { CliContext } from "../../../src/cli/context.ts";
import { CeremonyView } from "../../../src/cli/output/ceremony_view.ts";
import { markOwnSequences } from "../../../src/cli/output/sanitize.ts";

/** Returns what a view writes to a terminal, in order. `show` follows some progress. */
function written(show: (view: CeremonyView) => void): string[] {
  const parts: string[] = [];
  const output = { isTerminal: true, columns: 80, write: (text: string) => void parts.push(text) };
  const context = { stdout: output, stderr: output, env: { NO_COLOR: "1" } } as unknown as CliContext;
  const view = new CeremonyView(context, {});
  view.showProgress("making the key", 0.5);
  parts.length = 0;
  show(view);
  return parts;
}

const erased = markOwnSequences("\r\x1b[K");

Deno.test("each result of a ceremony erases the progress line before it is printed", () => {
  const key = "signing key written to Alice.pem\npublic key ab\n" +
    "next: send the public key to the coordinator, who lists it in artifacts/ceremony.json\n";
  deepEqual(written((view) => view.showSigningKey("Alice.pem", "ab")), [erased, key]);
  const check = { name: "powers", verdict: "ok", detail: "2^4" } as const;
  const line = "  ok     powers                2^4\n";
  deepEqual(written((view) => view.showChecks([check])), [erased, line]);
  deepEqual(written((view) => view.showRehearsedStep(check)), [erased, line]);
});
