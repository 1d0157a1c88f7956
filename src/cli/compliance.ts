/** `tonado compliance`: which deposit a withdrawal belongs to, shown by the note's owner, checked by anybody. */
import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { makeReport } from "../client/compliance_report.ts";
import { findRegistry } from "../config/registry.ts";
import { loadEndpoint } from "../config/tool_config.ts";
import { type ComplianceReport, purposeFault } from "../core/compliance.ts";
import { Problem } from "../core/errors.ts";
import type { Check } from "../core/check.ts";
import { checkReport } from "../client/compliance_check.ts";
import { Pool } from "../ton/pool.ts";
import { addChainOptions, type ChainOptions } from "./chain_options.ts";
import { printChecks } from "./checks.ts";
import { deploymentOf, jettonOf } from "./deposit.ts";
import { misuse } from "./misuse.ts";
import { addNotesOption, type NoteOptions, openNotes } from "./note_access.ts";
import { type BeforeNote, noteOn, onNetwork, onNetworkOf } from "./note_network.ts";
import { readReport, reportFacts, reportPage } from "./report_page.ts";
import { progressLine } from "./style.ts";
import type { Wiring } from "./wiring.ts";

type ReportOptions = ChainOptions & NoteOptions & {
  readonly for: string;
  readonly out?: string;
  readonly page?: string;
};

/** The command and its two. */
export function complianceCommand(wiring: Wiring): Command {
  const report = addNotesOption(addChainOptions(new Command("report"), { networkOf: "the note's" }))
    .description("show which deposit a withdrawal of yours belongs to; the note itself stays secret")
    .argument("<note>", "first digits of its id; it must be withdrawn")
    .requiredOption(
      "--for <purpose>",
      "recipient and purpose: the proof is valid only for this text",
      purposeOf,
    )
    .option("--out <file>", "write the JSON into a new file; default: print it")
    .option("--page <file>", "write a page for paper, one HTML file")
    .addHelpText(
      "after",
      "\nIt tells amount, times, transactions, who deposited and who was paid, and proves that you know the note.\n" +
        "It holds no secret, and tells nothing of your other notes. Whoever has it can pass it on.\n\n" +
        "Examples:\n  tonado compliance report 2f81 --for 'Example Bank, origin of funds' --page report.html\n" +
        "  tonado compliance report 2f81 --for 'tax office, 2026' --out report.json",
    )
    .action((id: string, options: BeforeNote<ReportOptions>) => makeOne(wiring, id, options));
  const verify = addChainOptions(new Command("verify"), { networkOf: "the report's" })
    .description("check a report against the chain: proof, pool, deposit, withdrawal")
    .argument("<file>", "the JSON, or its page")
    .addHelpText(
      "after",
      "\nEnds with 1 when anything in it does not hold, and says what. --quiet prints only that.\n\n" +
        "Examples:\n  tonado compliance verify report.html\n" +
        "  tonado compliance verify report.json --json | jq '.checks[] | select(.verdict != \"ok\")'",
    )
    .action((file: string, options: BeforeNote<ChainOptions>) => verifyOne(wiring, file, options));
  return new Command("compliance").description("make and verify reports about notes of one's own")
    .addCommand(report).addCommand(verify)
    .addHelpText(
      "after",
      "\nExamples:\n  tonado compliance report 2f81 --for 'tax office, 2026' --out report.json\n" +
        "  tonado compliance verify report.json",
    );
}

/** Bytes; a report and its page have some thousand. */
const LARGEST_REPORT = 4_000_000;

function purposeOf(text: string): string {
  const fault = purposeFault(text);
  if (fault) throw new InvalidArgumentError(`As it is, ${fault}.`);
  return text;
}

async function makeOne(wiring: Wiring, id: string, given: BeforeNote<ReportOptions>): Promise<void> {
  const record = noteOn(await (await openNotes(wiring, given)).list(), id, given.network);
  const options = onNetworkOf<ReportOptions>(given, record);
  const { network } = options;
  const { url, apiKey } = loadEndpoint(options, wiring.env);
  const known = await findRegistry(network, options.registry);
  const deployment = deploymentOf(record, known);
  checkTargets(wiring, options);
  const progress = progressLine(wiring.stderr);
  const prover = await wiring.createProver();
  let report: ComplianceReport;
  try {
    report = await makeReport({
      ...{ network, prover, purpose: options.for, now: wiring.now(), jetton: jettonOf(deployment) },
      pool: new Pool(wiring.connect(options.network, { url, apiKey }), deployment.address),
      note: record.note.reveal(),
      onRead: (seen) => !options.quiet && progress.update(`${seen} transactions of the pool read`, 0),
    }, { onProgress: ({ fraction }) => !options.quiet && progress.update("proving", fraction) });
  } finally {
    progress.clear();
    prover.close();
  }
  const written = { out: JSON.stringify(report, null, 2) + "\n", page: reportPage(report) };
  for (const kind of ["out", "page"] as const) {
    const file = options[kind];
    if (file === undefined) continue;
    await wiring.writeStream(file, ReadableStream.from([new TextEncoder().encode(written[kind])]));
    if (!options.quiet) wiring.stderr.write(`${file} is written\n`);
  }
  if (options.json || !(options.out || options.page)) wiring.stdout.write(JSON.stringify(report) + "\n");
}

/** Both, before any work: neither is written when the other cannot be. */
function checkTargets(wiring: Wiring, { out, page }: ReportOptions): void {
  if (out !== undefined && page !== undefined && resolve(out) === resolve(page)) {
    throw misuse("--page", "names the file of --out: name another one");
  }
  for (const [flag, file] of Object.entries({ "--out": out, "--page": page })) {
    if (file !== undefined) wiring.ownFile(flag, file).check();
  }
}

async function verifyOne(wiring: Wiring, file: string, given: BeforeNote<ChainOptions>): Promise<void> {
  const report = readReport(new TextDecoder().decode(wiring.readFile(file, LARGEST_REPORT)));
  const { network } = report.statement;
  if (given.network !== undefined && given.network !== network) {
    throw misuse("--network", `is ${given.network}, the report is of ${network}`);
  }
  const options = onNetwork<ChainOptions>(given, network);
  const { url, apiKey } = loadEndpoint(options, wiring.env);
  const known = await findRegistry(network, options.registry);
  const chain = wiring.connect(options.network, { url, apiKey });
  const progress = progressLine(wiring.stderr);
  const prover = await wiring.createProver();
  let checks: Check[];
  try {
    checks = await checkReport(report, {
      ...{ chain, known, prover },
      onProgress: (seen) => !options.quiet && progress.update(`${seen} transactions of the pool read`, 0),
    });
  } finally {
    progress.clear();
    prover.close();
  }
  const { stdout } = wiring;
  const failed = checks.filter(({ verdict }) => verdict === "failed").map(({ name }) => name);
  if (options.json) {
    const { statement } = report;
    stdout.write(JSON.stringify({ holds: failed.length === 0, checks, statement }) + "\n");
  } else {
    if (!options.quiet) {
      for (const [what, value] of reportFacts(report)) stdout.write(`${what.padEnd(14)} ${value}\n`);
    }
    printChecks(wiring, checks, options);
  }
  if (failed.length > 0) throw new Problem("report_refused", `the report fails: ${failed.join(", ")}`);
}
