/** Tests that docs/reliability.md publishes all figures of a complete run. */
import { deepEqual, match } from "node:assert/strict";
import { killPoints } from "../../testkit/chaos/kill_points.ts";
import { faultKinds } from "../../testkit/servers/endpoint_faults.ts";
import { blocks, missingContent } from "./page_checks.ts";

const page = await Deno.readTextFile(new URL("../../docs/reliability.md", import.meta.url));

Deno.test("docs/reliability.md: every generated block has figures, nothing was lost, and every fault occurred", () => {
  deepEqual(missingContent(page), []);
});

/** Returns a page as the task writes it, with some contents replaced. */
function written(
  {
    run = "2026-11-22, 40 minutes on 2 cores, Deno 2.9.6, scale 1,\nseed 7.",
    cells = {},
    died = "2",
    without = "",
  }: { run?: string; cells?: Record<string, string>; died?: string; without?: string } = {},
): string {
  const table = (rows: readonly string[], figure: string, other = "3") => [
    "| | a | b |",
    "| --- | --- | --- |",
    ...rows.map((row) => `| ${row} | ${cells[row] ?? figure} | ${other} |`),
  ];
  const zeros = ["Paid twice", "Accepted and lost", "5xx responses other than 503 with Retry-After"];
  const content: Record<(typeof blocks)[number], string[]> = {
    run: [run],
    settlers: table(["Deposits"], "3"),
    takeovers: ["another led after 4.1 / 5.0 / 5.6 s"],
    campaigns: [
      ...table([
        "Deposits",
        "Withdrawals paid",
        "Processes killed with SIGKILL",
        "Faults of the endpoint and the network",
      ], "9"),
      ...zeros.map((row) => `| ${row} | ${cells[row] ?? "0"} | 0 |`),
    ],
    faults: table(Object.keys(faultKinds), "2"),
    steps: table(Object.keys(killPoints), died, died),
    deaths: table(["nothing to do"], "0"),
  };
  return blocks.map((mark) =>
    `<!-- ${mark} -->\n\n${mark === without ? "" : content[mark].join("\n")}\n\n<!-- /${mark} -->\n`
  ).join("\ntext\n");
}

Deno.test("docs/reliability.md: a page that the task wrote passes", () => {
  deepEqual(missingContent(written()), []);
});

for (const mark of blocks) {
  Deno.test(`docs/reliability.md: a page with nothing between the marks of ${mark}, or without them, is rejected`, () => {
    for (const page of [written({ without: mark }), written().replace(`<!-- ${mark} -->`, "")]) {
      match(missingContent(page).join("\n"), new RegExp(`nothing stands in ${mark}`));
    }
  });
}

const broken: [what: string, parts: Parameters<typeof written>[0], says: RegExp][] = [
  ["a fault that was never met", { cells: { "false root": "0" } }, /^not met: false root$/],
  ["a step at which nobody died", { died: "0" }, /^nobody died before it signs\n/],
  ["a withdrawal that was lost", { cells: { "Accepted and lost": "1" } }, /^Accepted and lost: not 0/],
  ["a withdrawal that was paid twice", { cells: { "Paid twice": "1" } }, /^Paid twice: not 0/],
  ["a campaign without kills", { cells: { "Processes killed with SIGKILL": "0" } }, /^Processes killed/],
  ["a run without its seed", { run: "2026-11-22" }, /no length or no seed/],
];
for (const [what, parts, says] of broken) {
  Deno.test(`docs/reliability.md: a page with ${what} is rejected`, () => {
    match(missingContent(written(parts)).join("\n"), says);
  });
}
