import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { createComplianceReport } from "../../client/compliance/create_report.ts";
import { purposeError } from "../../core/protocol/compliance.ts";
import { Problem } from "../../core/errors/problem.ts";
import { verifyComplianceReport } from "../../client/compliance/verify_report.ts";
import { openPool } from "../../ton/pool/any_pool.ts";
import { addChainOptions, type ChainOptions, openChain } from "../options/chain_options.ts";
import { failedChecks, printChecks } from "../output/check_table.ts";
import { toPoolJetton } from "../../client/notes/pool_match.ts";
import { resolveDeployment } from "../options/note_pools.ts";
import { usageError } from "../options/usage_error.ts";
import {
  addNoteStorePathOption,
  type NoteStoreOptions,
  openNoteStore,
} from "../options/note_store_options.ts";
import {
  findNoteOnNetwork,
  withNetwork,
  withNetworkOfNote,
  type WithOptionalNetwork,
} from "../options/note_network.ts";
import { parseReportFile, renderReportPage, reportFacts } from "../output/pages/compliance_page.ts";
import { withProgressLine, writeJson } from "../output/print.ts";
import { readTextFile } from "../output/system_errors.ts";
import { type CliContext, withProver } from "../context.ts";

type ReportOptions = ChainOptions & NoteStoreOptions & {
  readonly for: string;
  readonly out?: string;
  readonly page?: string;
};

export function complianceCommand(context: CliContext): Command {
  const report = addNoteStorePathOption(addChainOptions(new Command("report"), { networkOf: "the note's" }))
    .description("prove which deposit your withdrawal belongs to; the note stays secret")
    .argument("<note>", "first digits of its id; it must be withdrawn")
    .requiredOption(
      "--for <purpose>",
      "recipient and purpose: the proof is valid only for this text",
      parsePurpose,
    )
    .option("--out <file>", "write the JSON to a new file; default: print it")
    .option("--page <file>", "write a printable page, one HTML file")
    .addHelpText(
      "after",
      "\nThe report shows the amount, times, transactions, depositor and recipient, and proves that you know the note.\n" +
        "It contains no secret and nothing about your other notes. Anyone who has it can pass it on.\n\n" +
        "Examples:\n  tonado compliance report 2f81 --for 'Example Bank, origin of funds' --page report.html\n" +
        "  tonado compliance report 2f81 --for 'tax office, 2026' --out report.json",
    )
    .action((id: string, options: WithOptionalNetwork<ReportOptions>) => createReport(context, id, options));
  const verify = addChainOptions(new Command("verify"), { networkOf: "the report's" })
    .description("check a report against the chain: proof, pool, deposit, withdrawal")
    .argument("<file>", "the JSON, or its page")
    .addHelpText(
      "after",
      "\nExits with status 1 if a check fails, and prints which. --quiet prints only failed checks.\n\n" +
        "Examples:\n  tonado compliance verify report.html\n" +
        "  tonado compliance verify report.json --json | jq '.checks[] | select(.verdict != \"ok\")'",
    )
    .action((file: string, options: WithOptionalNetwork<ChainOptions>) =>
      verifyReportFile(context, file, options)
    );
  return new Command("compliance").description("create and verify reports about your own notes")
    .addCommand(report).addCommand(verify)
    .addHelpText(
      "after",
      "\nExamples:\n  tonado compliance report 2f81 --for 'tax office, 2026' --out report.json\n" +
        "  tonado compliance verify report.json",
    );
}

const MAX_REPORT_BYTES = 4_000_000;

function parsePurpose(text: string): string {
  const fault = purposeError(text);
  if (fault) throw new InvalidArgumentError(`As it is, ${fault}.`);
  return text;
}

async function createReport(
  context: CliContext,
  id: string,
  given: WithOptionalNetwork<ReportOptions>,
): Promise<void> {
  const record = findNoteOnNetwork(await (await openNoteStore(context, given)).list(), id, given.network);
  const options = withNetworkOfNote<ReportOptions>(given, record);
  const { network } = options;
  const { chain, registry } = await openChain(context, options);
  const deployment = resolveDeployment(record, registry);
  assertOutputsWritable(context, options);
  const report = await withProgressLine(
    context,
    options,
    (progress) =>
      withProver(context, (prover) =>
        createComplianceReport({
          network,
          prover,
          purpose: options.for,
          now: context.now(),
          jetton: toPoolJetton(deployment),
          pool: openPool(chain, deployment.address, deployment.version),
          note: record.note.reveal(),
          onProgress: (count) => progress.update(`${count} transactions of the pool read`, 0),
        }, { onProgress: ({ fraction }) => progress.update("proving", fraction) })),
  );
  const written = { out: JSON.stringify(report, null, 2) + "\n", page: renderReportPage(report) };
  for (const kind of ["out", "page"] as const) {
    const file = options[kind];
    if (file === undefined) continue;
    await context.writeNewFile(file, ReadableStream.from([new TextEncoder().encode(written[kind])]));
    if (!options.quiet) context.stderr.write(`wrote ${file}\n`);
  }
  if (options.json || !(options.out || options.page)) writeJson(context, report);
}

/** Checked before any work, so that neither file is written if the other cannot be. */
function assertOutputsWritable(context: CliContext, { out, page }: ReportOptions): void {
  if (out !== undefined && page !== undefined && resolve(out) === resolve(page)) {
    throw usageError("--page", "names the same file as --out: choose another file");
  }
  for (const [flag, file] of Object.entries({ "--out": out, "--page": page })) {
    if (file !== undefined) context.openOutputFile(flag, file).assertWritable();
  }
}

async function verifyReportFile(
  context: CliContext,
  file: string,
  given: WithOptionalNetwork<ChainOptions>,
): Promise<void> {
  const report = parseReportFile(readTextFile(context, file, MAX_REPORT_BYTES));
  const { network } = report.statement;
  if (given.network !== undefined && given.network !== network) {
    throw usageError("--network", `is ${given.network}, but the report is for ${network}`);
  }
  const options = withNetwork<ChainOptions>(given, network);
  const { chain, registry } = await openChain(context, options);
  const checks = await withProgressLine(
    context,
    options,
    (progress) =>
      withProver(context, (prover) =>
        verifyComplianceReport(report, {
          chain,
          deployments: registry,
          prover,
          onProgress: (count) => progress.update(`${count} transactions of the pool read`, 0),
        })),
  );
  const failed = failedChecks(checks);
  const { statement } = report;
  if (options.json) writeJson(context, { holds: failed.length === 0, checks, statement });
  else {
    const facts = options.quiet ? [] : reportFacts(report);
    for (const [what, value] of facts) context.stdout.write(`${what.padEnd(14)} ${value}\n`);
    printChecks(context, checks, options);
  }
  if (failed.length > 0) {
    throw new Problem("report_verification_failed", `the report fails: ${failed.join(", ")}`);
  }
}
