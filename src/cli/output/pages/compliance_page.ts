/** A compliance report as a page to print. It contains the report's data, so the page can be verified too. */
import { type ComplianceReport, parseComplianceReport } from "../../../core/protocol/compliance.ts";
import { poolKey } from "../../../core/protocol/deployments.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { formatAmount, formatNative } from "../../../core/protocol/units.ts";
import { isDevelopmentKey } from "../../../prover/artifacts.ts";

import { escapeHtml, renderFactTable, renderHtmlPage, unescapeHtml } from "./html_page.ts";
import { formatIsoTime } from "../progress.ts";

const DEVELOPMENT_WARNING =
  `<p class="warning">This report was made with development keys, which are insecure: anyone who made those keys could
forge it. It proves nothing outside local and test networks.</p>`;
const EMBEDDED_REPORT_PATTERN = /<pre id="report">([^<]*)<\/pre>/;

export function reportFacts({ statement }: ComplianceReport): (readonly [what: string, value: string])[] {
  const { pool, deposit, withdrawal } = statement;
  const format = (amount: string) => formatAmount(BigInt(amount), pool);
  return [
    ["purpose", statement.purpose],
    ["made", formatIsoTime(statement.madeAt)],
    ["pool", `${poolKey(pool)} on ${statement.network}, ${pool.address}`],
    [
      "deposited",
      `${format(pool.denomination)} by ${deposit.depositor}, ${formatIsoTime(deposit.timestamp)}`,
    ],
    ["as", `leaf ${deposit.leafIndex}, commitment ${statement.commitment}`],
    ["in transaction", deposit.tx.hash],
    ["withdrawn", `to ${withdrawal.recipient}, ${formatIsoTime(withdrawal.timestamp)}`],
    ["paid", format(withdrawal.paid)],
    ["fee", withdrawal.relayer ? `${format(withdrawal.fee)} to ${withdrawal.relayer}` : "none: not relayed"],
    ["refund", formatNative(BigInt(withdrawal.refund))],
    ["nullifier hash", statement.nullifierHash],
    ["in transaction", withdrawal.tx.hash],
  ];
}

/** Equal reports give equal pages. */
export function renderReportPage(report: ComplianceReport): string {
  return renderHtmlPage(
    "Compliance report",
    `${
      isDevelopmentKey(report.statement.vkeyHash) ? `${DEVELOPMENT_WARNING}\n` : ""
    }<p>The maker of this report knows the note behind this deposit and this withdrawal. The proof below shows this, for
exactly this text. To verify it against the chain:</p>
<pre>tonado compliance verify &lt;this file&gt; --network ${report.statement.network}</pre>
${renderFactTable(reportFacts(report))}
<p>The report reveals nothing about other notes of its maker and contains no secret: it cannot be used to spend money
or to make another report. Anyone who has it can show it to others.</p>
<pre id="report">${escapeHtml(JSON.stringify(report))}</pre>`,
  );
}

/** Parses JSON or a page. Throws `invalid_report`, also if the page shows anything but its data. */
export function parseReportFile(text: string): ComplianceReport {
  const data = EMBEDDED_REPORT_PATTERN.exec(text);
  const report = parseComplianceReport(data ? unescapeHtml(data[1]) : text);
  if (data && renderReportPage(report) !== text) {
    throw new Problem(
      "invalid_report",
      "the page was altered, or written by another version: what it shows is not what its data say; " +
        "verify the JSON",
    );
  }
  return report;
}
