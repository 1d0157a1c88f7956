/// <reference lib="dom" />
/** The app: runs the store's flow, the route and the lock, and shows the current screen. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { startIdleLock } from "../flows/store/idle_lock.ts";
import { type StoreEvent, storeMachine, type StoreState } from "../flows/store/store.ts";
import { type Flow, startFlow } from "../flows/machine.ts";
import { type Restorable, restorableFile, restorableText, restoreMachine } from "../flows/restore.ts";
import type { Session } from "../services/context.ts";
import { restoreServices } from "../services/backups/restore_service.ts";
import { storeServices } from "../services/store_service.ts";
import type { Language } from "../text/languages.ts";
import { texts } from "../text/texts.ts";
import { Frame } from "../views/frame.tsx";
import { RestoreView } from "../views/restore.tsx";
import { StartView } from "../views/start.tsx";
import type { AppPorts } from "./app_ports.ts";
import { applyLanguage } from "./language.ts";
import { eraseEverything } from "./erase_everything.ts";
import { OpenScreens } from "./open_screens.tsx";
import { ReportScreen } from "./report/lazy_report_screen.tsx";
import { ScanOverlay, useScanner } from "./scan_overlay.tsx";
import { ScreenBoundary } from "./screen_boundary.tsx";
import { useFlow, useMachine } from "./use_flow.ts";

const LOCK_CHECK_INTERVAL_MS = 5_000;
const MAX_BACKUP_BYTES = 128_000_000;

type StoreFlow = Flow<StoreState<Session>, StoreEvent<Session>>;

export function App({ ports }: { readonly ports: AppPorts }) {
  const flow: StoreFlow = useMemo(
    () => startFlow(storeMachine<Session>(storeServices(ports.context, ports)), { step: "searching" }),
    [],
  );
  const store = useFlow(flow);
  const route = ports.route.value;
  const session = store.step === "open" ? store.session : undefined;
  useLock(ports, flow, session);
  useTabs(ports, flow);
  useEscape(ports);
  useTheme(ports.settings.value.theme);
  useLanguage(ports.settings.value.language);
  const isOnline = useOnline(ports);
  const lock = () => {
    ports.tabs.notify("locked");
    flow.send({ type: "lock" });
  };
  const current = route.startsWith("#/report")
    ? "report"
    : route.startsWith("#/settings")
    ? "settings"
    : route === "#/"
    ? "notes"
    : undefined;
  return (
    <Frame
      network={ports.config.network}
      isOpen={session !== undefined}
      isOnline={isOnline}
      current={current}
      onBack={route === "#/" && store.step !== "new" && store.step !== "drawn" ? undefined : () => {
        flow.send({ type: "back" });
        ports.go("#/");
      }}
      onLock={lock}
    >
      <ScreenBoundary ports={ports} place={`${route} ${store.step}`} onSave={() => saveStore(ports)}>
        {session !== undefined && !route.startsWith("#/restore")
          ? (
            <OpenScreens
              key="open"
              ports={ports}
              session={session}
              route={route}
              onErased={() => flow.send({ type: "erased" })}
              onLock={lock}
            />
          )
          : <ClosedScreens ports={ports} flow={flow} store={store} route={route} session={session} />}
      </ScreenBoundary>
    </Frame>
  );
}

function ClosedScreens(
  { ports, flow, store, route, session }: {
    readonly ports: AppPorts;
    readonly flow: StoreFlow;
    readonly store: StoreState<Session>;
    readonly route: string;
    readonly session: Session | undefined;
  },
) {
  if (route.startsWith("#/restore") && (store.step === "absent" || store.step === "open")) {
    return (
      <RestoreScreen
        ports={ports}
        session={session}
        onCreated={(session) => flow.send({ type: "opened", session })}
      />
    );
  }
  if (route.startsWith("#/report")) {
    return <ReportScreen ports={ports} session={undefined} isLocked={store.step === "locked"} />;
  }
  if (store.step === "open") return null;
  return (
    <StartView
      state={store}
      send={flow.send}
      ownAddress={ports.place.ownAddress}
      onRestore={() => ports.go("#/restore")}
      onSave={() => saveStore(ports)}
      onSetAside={async () => {
        await setAside(ports);
        flow.send({ type: "erased" });
      }}
      onReport={() => ports.go("#/report")}
    />
  );
}

/** Saves a store that cannot be opened as a file: another program, or a remembered passphrase, may still open it. */
async function saveStore({ context: { files, downloads } }: AppPorts): Promise<void> {
  const bytes = await files.read();
  if (bytes) downloads.save("tonado-notes-set-aside.age", new Uint8Array(bytes), "application/octet-stream");
}

/** Removes a store that cannot be opened, once the user has checked that the browser saved it as a file. */
async function setAside(ports: AppPorts): Promise<void> {
  await eraseEverything(ports);
  ports.go("#/restore");
}

function RestoreScreen(
  { ports, session, onCreated }: {
    readonly ports: AppPorts;
    readonly session: Session | undefined;
    readonly onCreated: (session: Session) => void;
  },
) {
  const hadStore = useMemo(() => session !== undefined, []);
  const latest = useRef(session);
  latest.current = session;
  const [state, send] = useMachine(
    "restore",
    { step: "choose" },
    () =>
      restoreMachine(
        restoreServices(
          ports.context,
          () => latest.current,
          onCreated,
          (proof) => ports.settings.addProof(proof),
        ),
      ),
  );
  const scan = useScanner(ports, (text) => /tonado/i.test(text));
  const choose = (source: Restorable) =>
    send({ type: "chosen", source, isNew: source.kind === "text" && !hadStore });
  const chooseText = (text: string) => choose(restorableText(text));
  return (
    <>
      <RestoreView
        state={state}
        send={send}
        onText={chooseText}
        onScan={scan.start && (() => scan.start!(chooseText))}
        onChooseFile={() =>
          void ports.context.downloads.open({ accept: ".age", maxBytes: MAX_BACKUP_BYTES }).then((file) => {
            if (file) choose(restorableFile(file));
          }).catch((problem) => send({ type: "failed", problem }))}
        onDone={() => ports.go("#/")}
      />
      <ScanOverlay scan={scan} label={texts.restore.scan} />
    </>
  );
}

/** Locks the store after a time without input, and sooner while the page is hidden. */
function useLock(ports: AppPorts, flow: StoreFlow, session: Session | undefined) {
  useEffect(() => {
    if (session === undefined) return;
    const { clock } = ports.context;
    const { check, recordInput, recordVisibility } = startIdleLock({
      clock,
      lockAfterMs: () => ports.settings.value.lockMinutes * 60_000,
      onDue: () => flow.send({ type: "lock" }),
    });
    const stopVisibility = ports.place.onVisibility(recordVisibility);
    const timer = setInterval(check, LOCK_CHECK_INTERVAL_MS);
    for (const name of ["pointerdown", "keydown"]) addEventListener(name, recordInput);
    return () => {
      stopVisibility();
      clearInterval(timer);
      for (const name of ["pointerdown", "keydown"]) removeEventListener(name, recordInput);
    };
  }, [session]);
}

function useTabs({ tabs }: AppPorts, flow: StoreFlow) {
  useEffect(() =>
    tabs.subscribe((message) => {
      // A store that is locked already keeps its notice of what the other tab changed.
      if (message === "locked" && flow.state.step !== "locked") flow.send({ type: "lock" });
      if (message === "store_erased") flow.send({ type: "erased" });
    }), []);
}

/** Escape goes back, as the arrow does. */
function useEscape(ports: AppPorts) {
  useEffect(() => {
    const onKey = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key !== "Escape" || defaultPrevented || document.querySelector("dialog[open]")) return;
      document.querySelector<HTMLElement>("[data-back]")?.click();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [ports]);
}

function useTheme(theme: string) {
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
}

function useLanguage(chosen: Language | undefined) {
  useEffect(() => void applyLanguage(chosen), [chosen]);
}

function useOnline({ place }: AppPorts): boolean {
  const [isOnline, setOnline] = useState(place.isOnline());
  useEffect(() => {
    const change = () => setOnline(place.isOnline());
    for (const name of ["online", "offline"]) addEventListener(name, change);
    return () => {
      for (const name of ["online", "offline"]) removeEventListener(name, change);
    };
  }, []);
  return isOnline;
}
