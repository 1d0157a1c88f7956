/** The screens of an open store. */
import { useEffect, useMemo } from "preact/hooks";
import { backupMachine } from "../flows/backup.ts";
import { depositMachine } from "../flows/deposit/deposit.ts";
import type { DepositEvent, DepositState } from "../flows/deposit/deposit_state.ts";
import { type BackupProof, connectionsOf, unusedConnections } from "../flows/settings.ts";
import { addressInCode } from "../flows/withdraw/address_code.ts";
import { resumeWithdraw, withdrawMachine } from "../flows/withdraw/withdraw.ts";
import type { WithdrawState } from "../flows/withdraw/withdraw_state.ts";
import type { Session } from "../services/context.ts";
import { depositServices, poolChoice } from "../services/deposit_service.ts";
import { backupServices } from "../services/backups/backup_service.ts";
import { withdrawServices } from "../services/withdraw_service.ts";
import { texts } from "../text/texts.ts";
import type { NoteEntry } from "../vault/vault_task.ts";
import { BackupView } from "../views/backup.tsx";
import { DepositView } from "../views/deposit.tsx";
import { NotesView } from "../views/notes.tsx";
import { Notice } from "../views/parts.tsx";
import { WithdrawView } from "../views/withdraw.tsx";
import { useCheck } from "./notes/use_check.ts";
import type { AppPorts } from "./app_ports.ts";
import { toRow, withVisit } from "./notes/note_rows.ts";
import { OnlyWhen } from "./notes/only_when.tsx";
import {
  noteAt,
  routeOf,
  useCoverage,
  useForgottenWallets,
  usePayingAddress,
  useRecords,
  useVisit,
} from "./notes/use_notes.ts";
import { findTwins, paymentKey } from "../../client/notes/note_store.ts";
import { ReportScreen } from "./report/lazy_report_screen.tsx";
import { ScanOverlay, useScanner } from "./scan_overlay.tsx";
import { SettleScreen } from "./settle/lazy_settle_screen.tsx";
import { SettingsScreen } from "./settings_screen.tsx";
import { useMachine } from "./use_flow.ts";
import { useVersions } from "./use_versions.ts";

const MAX_BACKUP_BYTES = 128_000_000;

interface ScreenProps {
  readonly ports: AppPorts;
  readonly session: Session;
}

export function OpenScreens(
  { ports, session, route, onErased, onLock }: ScreenProps & {
    readonly route: string;
    readonly onErased: () => void;
    readonly onLock: () => void;
  },
) {
  const [records, reload] = useRecords(ports, session, route);
  const [, screen = "", place = ""] = route.split("/");
  const [check, sendCheck] = useCheck(ports, session, records, screen);
  const coverage = useCoverage(ports, session, records);
  const versions = useVersions(ports.place);
  const visit = useVisit();
  const { payingId, onNote, onSettled } = visit;
  useEffect(reload, [check.step, payingId]);
  const twins = findTwins(records ?? [], ({ note }) => paymentKey(note));
  const rows = records?.map((record) => withVisit(toRow(ports, record, check, coverage, twins), visit)) ??
    [];
  const home = () => ports.go("#/");
  useForgottenWallets(ports, records, screen);
  usePayingAddress(ports, records, screen === "deposit" && place === "" ? payingId : undefined);
  if (records === undefined) return null;
  const record = noteAt(records, place);
  const known = { ports, session, isBackedUp: coverage?.hasSeed === true, onDone: home };
  const note = { ...known, record, isNew: place === "", onNote, onSettled };
  switch (screen) {
    case "deposit":
      if (coverage === undefined) return null; // a deposit asks for a backup, unless there is one
      return <NoteScreen key={screen} {...note} screen={screen} />;
    case "withdraw":
    case "settle":
      return <NoteScreen key={route} {...note} screen={screen} />;
    case "backup":
      return <BackupScreen {...known} />;
    case "report":
      return (
        <ReportScreen
          ports={ports}
          session={session}
          rows={rows.filter(({ state }) => state === "withdrawn")}
        />
      );
    case "settings":
      return <SettingsScreen ports={ports} versions={versions} onErased={onErased} onLock={onLock} />;
    default:
      return (
        <NotesView
          rows={rows}
          check={check}
          hasBackup={coverage?.hasSeed}
          unused={unusedConnections(ports.settings.value, ports.config)}
          versions={versions}
          onDeposit={() => ports.go("#/deposit")}
          onBackup={() => ports.go("#/backup")}
          onSettings={() => ports.go("#/settings")}
          onCheck={() => sendCheck({ type: "check" })}
          onStopCheck={() => sendCheck({ type: "cancel" })}
          onOpen={(row) => ports.go(routeOf(row, records))}
        />
      );
  }
}

type KnownProps = ScreenProps & { readonly isBackedUp: boolean; readonly onDone: () => void };

/** The states of a note in which a screen can do something with it. */
const possibleStates: Readonly<Record<"deposit" | "withdraw" | "settle", readonly NoteEntry["state"][]>> = {
  deposit: ["created", "depositing"],
  withdraw: ["deposited", "withdrawing"],
  settle: ["deposited"],
};

/** A screen about the note that the page's address names, or a new deposit. */
function NoteScreen(
  { screen, record, isNew, onNote, onSettled, ...known }: KnownProps & {
    readonly screen: keyof typeof possibleStates;
    readonly record: NoteEntry | undefined;
    /** Whether the address names no note. */
    readonly isNew: boolean;
    readonly onNote: (id: string | undefined) => void;
    readonly onSettled: (id: string) => void;
  },
) {
  const isPossible = (isNew && screen === "deposit") ||
    (record !== undefined && possibleStates[screen].includes(record.state));
  return (
    <OnlyWhen ports={known.ports} isPossible={isPossible}>
      {screen === "deposit" && <DepositScreen {...known} id={record?.id ?? ""} onNote={onNote} />}
      {screen === "withdraw" && record && <WithdrawScreen {...known} record={record} />}
      {screen === "settle" && record && <SettleScreen {...known} id={record.id} onSettled={onSettled} />}
    </OnlyWhen>
  );
}

function BackupScreen({ ports, session, onDone, notice }: KnownProps & { readonly notice?: string }) {
  const { printTitle: title, printLines: lines } = texts.backup;
  const { downloads } = ports.context;
  const recordProof = (proof: BackupProof) => ports.settings.addProof(proof);
  const [state, send] = useMachine(
    "backup",
    { step: "offer" },
    () => backupMachine(backupServices(ports.context, session, recordProof, { title, lines })),
  );
  const scan = useScanner(ports, (text) => text.startsWith("tonado"));
  return (
    <>
      {notice && state.step !== "proven" && <Notice kind="note" text={notice} />}
      <BackupView
        state={state}
        send={send}
        onDone={onDone}
        onScan={scan.start && (() => scan.start!((code) => send({ type: "returned", content: { code } })))}
        onChooseFile={() =>
          void downloads.open({ accept: ".age", maxBytes: MAX_BACKUP_BYTES }).then((file) => {
            if (file) send({ type: "returned", content: { bytes: file.bytes } });
          }).catch((problem) => send({ type: "failed", problem }))}
      />
      <ScanOverlay scan={scan} label={texts.backup.scan} />
    </>
  );
}

function DepositScreen(
  { ports, session, isBackedUp, onDone, id, onNote }: KnownProps & {
    /** Of the note; empty for a new deposit. */
    readonly id: string;
    /** Called with the note once it is stored, and without one when the screen is left. */
    readonly onNote: (id: string | undefined) => void;
  },
) {
  const { context, settings } = ports;
  const [state, send] = useMachine<DepositState, DepositEvent>(
    "deposit",
    id === "" ? { step: "choosing" } : { step: "opening", id },
    () => depositMachine(depositServices(context, session, () => settings.value)),
  );
  const noteId = "ticket" in state ? state.ticket.id : undefined;
  useEffect(() => onNote(noteId), [noteId]);
  const leaving = useMemo(() => new AbortController(), []);
  useEffect(() => () => {
    leaving.abort();
    onNote(undefined);
  }, []);
  const sources = useMemo(() => ports.sources.list(session.vault), []);
  const pools = useMemo(
    () =>
      [...context.registry.pools.values()].map((deployment) => ({
        ...poolChoice(deployment),
        retired: deployment.retired === true,
      })).sort((a, b) =>
        Number(b.asset === "native") - Number(a.asset === "native") || a.asset.localeCompare(b.asset) ||
        b.version - a.version || Number(a.amount) - Number(b.amount)
      ),
    [],
  );
  return (
    <DepositView
      state={state}
      send={send}
      pools={pools}
      isBackedUp={isBackedUp}
      hasRelayer={context.connections().relayers.length > 0}
      onFees={async () => {
        await context.fees.refresh(context, leaving.signal);
        send({ type: "fees", fees: await context.fees.read() });
      }}
      unused={unusedConnections(settings.value, ports.config)}
      onSettings={() => ports.go("#/settings")}
      onDone={onDone}
      sources={sources}
      onCopy={(value) => context.downloads.copy(value)}
      backup={(notice) => (
        <BackupScreen
          ports={ports}
          session={session}
          isBackedUp={isBackedUp}
          notice={notice}
          onDone={() => send({ type: "backup_proven" })}
        />
      )}
    />
  );
}

function WithdrawScreen({ ports, session, record, onDone }: KnownProps & { readonly record: NoteEntry }) {
  const { asset, amount } = record.note;
  const [state, send] = useMachine(
    record.id,
    startWithdrawal(record),
    () => withdrawMachine(withdrawServices(ports.context, session)),
  );
  const scan = useScanner(ports, (text) => addressInCode(text) !== undefined);
  const { isShared, isShareAccepted, withdrawalEndpoint } = connectionsOf(ports.settings.value, ports.config);
  const endpoint = new URL(withdrawalEndpoint).host;
  return (
    <>
      <WithdrawView
        state={state}
        send={send}
        onDone={onDone}
        amount={texts.app.amount(amount, asset)}
        endpoint={endpoint}
        asksAboutEndpoint={isShared && !isShareAccepted}
        onEndpoint={(accepted) =>
          accepted ? ports.settings.change({ acceptedSharedHost: endpoint }) : ports.go("#/settings")}
        onScan={scan.start && ((onAddress) => scan.start!((code) => onAddress(addressInCode(code)!)))}
        onCopy={(value) => ports.context.downloads.copy(value)}
      />
      <ScanOverlay scan={scan} label={texts.withdraw.scan} />
    </>
  );
}

function startWithdrawal({ id, state, withdrawal }: NoteEntry): WithdrawState {
  return state === "withdrawing" && withdrawal?.relayer
    ? resumeWithdraw(id, withdrawal.recipient)
    : { step: "form", id, recipient: "" };
}
