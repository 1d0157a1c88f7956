/** A compliance report as a page for paper. Its data stand in it whole, so that the page can be verified as the JSON can. */
import { type ComplianceReport, parseReport } from "../core/compliance.ts";
import { poolKey } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import { formatAmount } from "../core/units.ts";
import { isDevelopmentKey } from "../prover/artifacts.ts";
import { native } from "./chain_options.ts";
import { escapeHtml, factTable, printablePage, unescapeHtml } from "./printable_page.ts";
import { isoSeconds } from "./style.ts";

const DEVELOPMENT_WARNING =
  `<p class="warning">This report was made with development keys, which are insecure: anyone who made those keys could
forge it. It proves nothing outside local and test networks.</p>`;
const DATA = /<pre id="report">([^<]*)<\/pre>/;

/** What a report says, in words. */
export function reportFacts(
  { statement: said }: ComplianceReport,
): (readonly [what: string, value: string])[] {
  const { pool, deposit, withdrawal } = said;
  const shown = (amount: string) => formatAmount(BigInt(amount), pool);
  return [
    ["purpose", said.purpose],
    ["made", isoSeconds(said.madeAt)],
    ["pool", `${poolKey(pool)} on ${said.network}, ${pool.address}`],
    ["deposited", `${shown(pool.denomination)} by ${deposit.depositor}, ${isoSeconds(deposit.timestamp)}`],
    ["as", `leaf ${deposit.leafIndex}, commitment ${said.commitment}`],
    ["in transaction", deposit.tx.hash],
    ["withdrawn", `to ${withdrawal.recipient}, ${isoSeconds(withdrawal.timestamp)}`],
    ["paid", shown(withdrawal.paid)],
    [
      "fee",
      withdrawal.relayer ? `${shown(withdrawal.fee)} to ${withdrawal.relayer}` : "none: nobody relayed it",
    ],
    ["refund", native(BigInt(withdrawal.refund))],
    ["nullifier hash", said.nullifierHash],
    ["in transaction", withdrawal.tx.hash],
  ];
}

/** The page: the same for the same report, always. */
export function reportPage(report: ComplianceReport): string {
  return printablePage(
    "Compliance report",
    `${
      isDevelopmentKey(report.statement.vkeyHash) ? `${DEVELOPMENT_WARNING}\n` : ""
    }<p>Whoever made this report knows the note behind this deposit and this withdrawal: the proof below holds for
nobody else, and for this text alone. To verify it against the chain:</p>
<pre>tonado compliance verify &lt;this file&gt; --network ${report.statement.network}</pre>
${factTable(reportFacts(report))}
<p>It tells nothing of other notes of its maker, and holds no secret: nobody can spend, or make another report, with
it. Whoever has it can show it to others.</p>
<pre id="report">${escapeHtml(JSON.stringify(report))}</pre>`,
  );
}

/**
 * Reads a report from JSON or from its page.
 *
 * @throws {Problem} `invalid_report`, also for a page that shows anything but what its data say
 */
export function readReport(text: string): ComplianceReport {
  const data = DATA.exec(text);
  const report = parseReport(data ? unescapeHtml(data[1]) : text);
  if (data && reportPage(report) !== text) {
    throw new Problem(
      "invalid_report",
      "the page was altered, or written by another version: what it shows is not what its data say; " +
        "verify the JSON",
    );
  }
  return report;
}
