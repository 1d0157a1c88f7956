import { createComplianceReport } from "../../client/compliance/create_report.ts";
import { parseComplianceReport } from "../../core/protocol/compliance.ts";
import { Problem } from "../../core/errors/problem.ts";
import { formatAmount } from "../../core/protocol/units.ts";
import type { ReportServices } from "../flows/report.ts";
import { type AppContext, findStoredNote, type Session, withdrawalChain } from "./context.ts";

export const MAX_REPORT_BYTES = 1_000_000;

/** @param session of the open store; not needed to check a report */
export function reportServices(context: AppContext, session: Session | undefined): ReportServices {
  return {
    async make(id, purpose, signal, onProgress) {
      if (session === undefined) throw new Problem("unknown_note", "the note store is locked");
      const chain = withdrawalChain(context);
      const { pool, record, jetton } = await findStoredNote(context, session, id, chain);
      const report = await createComplianceReport({
        pool,
        jetton,
        purpose,
        network: context.registry.network,
        note: (await session.store.reveal(record.id)).reveal(),
        prover: await context.prover(),
        now: context.clock.now(),
      }, { signal, onProgress: ({ fraction }) => onProgress(fraction) });
      const bytes = new TextEncoder().encode(`${JSON.stringify(report, null, 2)}\n`);
      // Not the note's id: browsers keep the names of downloads, and the id tells which deposit it is.
      return {
        name: `tonado-report-${new Date(context.clock.now()).toISOString().slice(0, 10)}.json`,
        bytes,
      };
    },
    async check(bytes, signal) {
      const report = parseComplianceReport(new TextDecoder().decode(bytes));
      const { statement } = report;
      if (statement.network !== context.registry.network) {
        throw new Problem("wrong_network", `the report is about ${statement.network}`);
      }
      const { verifyComplianceReport } = await import("../../client/compliance/verify_report.ts");
      const checks = await verifyComplianceReport(report, {
        chain: withdrawalChain(context),
        deployments: context.registry,
        prover: await context.prover(),
        signal,
      });
      const { purpose, pool: { asset, decimals, denomination }, deposit, withdrawal } = statement;
      const facts = {
        purpose,
        amount: formatAmount(BigInt(denomination), { asset, decimals }),
        depositor: deposit.depositor,
        recipient: withdrawal.recipient,
        depositedAt: deposit.timestamp,
        withdrawnAt: withdrawal.timestamp,
      };
      return { facts, checks };
    },
  };
}
