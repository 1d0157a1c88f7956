/** The checks of an open store's notes, and which servers they may ask. */
import { useEffect, useRef } from "preact/hooks";
import { type CheckEvent, checkMachine, type CheckState } from "../../flows/check.ts";
import { checkServices } from "../../services/checks/check_service.ts";
import { checkSide } from "../../services/checks/check_side.ts";
import type { Session } from "../../services/context.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";
import type { AppPorts } from "../app_ports.ts";
import { useMachine } from "../use_flow.ts";

/** Runs the checks while the store is open. A deposit or settlement ends those of the withdrawal side, until the user asks. */
export function useCheck(
  { context }: AppPorts,
  session: Session,
  records: readonly NoteEntry[] | undefined,
  screen: string,
): [check: CheckState, send: (event: CheckEvent) => void] {
  const [check, send] = useMachine<CheckState, CheckEvent>(
    "check",
    { step: "idle" },
    () => checkMachine(checkServices(context, session)),
  );
  const isPaying = screen === "deposit" || screen === "settle";
  const hasAsked = useRef(false);
  const newestDeposit = useRef(0);
  const begun = Math.max(0, ...(records ?? []).filter(isBegun).map(({ createdAt }) => createdAt));
  const isNew = begun > newestDeposit.current; // perhaps in another tab
  if (isNew) newestDeposit.current = begun;
  if (isPaying || isNew) hasAsked.current = false;
  else if (session.isRestored || (check.step === "reading" && check.isAsked)) hasAsked.current = true;
  const { network } = context.registry;
  const side = records &&
    checkSide(records.filter(({ note }) => note.network === network), {
      now: context.clock.now(),
      isPaying,
      hasAsked: hasAsked.current,
    });
  useEffect(() => send({ type: "side", side }), [side, check.side]);
  return [check, send];
}

function isBegun({ state }: NoteEntry): boolean {
  return state === "depositing";
}
