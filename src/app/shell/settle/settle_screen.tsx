/** The screen where a depositor settles. It is loaded when it is opened. */
import { useEffect, useMemo } from "preact/hooks";
import { settleMachine, startSettle } from "../../flows/settle/settle.ts";
import type { SettleEvent, SettleState } from "../../flows/settle/settle_state.ts";
import type { Session } from "../../services/context.ts";
import { settleServices } from "../../services/settlement/settle_service.ts";
import { SettleView } from "../../views/settle.tsx";
import type { AppPorts } from "../app_ports.ts";
import { useMachine } from "../use_flow.ts";

export interface SettleScreenProps {
  readonly ports: AppPorts;
  readonly session: Session;
  /** Of the note. */
  readonly id: string;
  readonly onDone: () => void;
  readonly onSettled: (id: string) => void;
}

export function SettleScreen({ ports, session, id, onDone, onSettled }: SettleScreenProps) {
  const [state, send] = useMachine<SettleState, SettleEvent>(
    id,
    startSettle(id),
    () => settleMachine(settleServices(ports.context, session)),
  );
  useEffect(() => {
    if (state.step === "done") onSettled(id);
  }, [state.step]);
  const sources = useMemo(() => ports.sources.list(session.vault), []);
  return <SettleView state={state} send={send} sources={sources} onDone={onDone} />;
}
