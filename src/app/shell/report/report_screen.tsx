/** The report screen, with and without an open store. */
import { reportMachine } from "../../flows/report.ts";
import type { Session } from "../../services/context.ts";
import { MAX_REPORT_BYTES, reportServices } from "../../services/report_service.ts";
import { type ReportProps, ReportView } from "../../views/report.tsx";
import type { AppPorts } from "../app_ports.ts";
import { useMachine } from "../use_flow.ts";

export interface ReportScreenProps {
  readonly ports: AppPorts;
  readonly session: Session | undefined;
  readonly rows?: ReportProps["rows"];
  readonly isLocked?: boolean;
}

export function ReportScreen({ ports, session, rows, isLocked = false }: ReportScreenProps) {
  const [state, send] = useMachine(
    session ? "open" : "locked",
    { step: "choose" },
    () => reportMachine(reportServices(ports.context, session)),
  );
  const { downloads } = ports.context;
  return (
    <ReportView
      state={state}
      send={send}
      rows={rows}
      onUnlock={isLocked ? () => ports.go("#/") : undefined}
      onChooseFile={() =>
        void downloads.open({ accept: ".json,.html", maxBytes: MAX_REPORT_BYTES }).then((file) => {
          if (file) send({ type: "check", bytes: file.bytes });
        }).catch((problem) => send({ type: "failed", problem }))}
      onSave={(name, bytes) => downloads.save(name, bytes, "application/json")}
    />
  );
}
