/// <reference lib="dom" />
/** Replaces a screen that fails by ways to go on. The header and the menu stay. */
import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { toProblem } from "../flows/machine.ts";
import { FailedScreen } from "../views/frame.tsx";
import type { AppPorts } from "./app_ports.ts";

interface BoundaryProps {
  readonly ports: AppPorts;
  /** A change of it shows the screen again. */
  readonly place: string;
  readonly onSave: () => Promise<void>;
  readonly children: ComponentChildren;
}

export function ScreenBoundary({ place, children, ...props }: BoundaryProps) {
  const [error, retry] = useErrorBoundary();
  useEffect(() => {
    if (error !== undefined) retry();
  }, [place]);
  return error === undefined ? <>{children}</> : <Failed {...props} error={error} onRetry={retry} />;
}

function Failed(
  { ports, error, onSave, onRetry }: Pick<BoundaryProps, "ports" | "onSave"> & {
    readonly error: unknown;
    readonly onRetry: () => void;
  },
) {
  const [hasNotes, setHasNotes] = useState(false);
  const [problem, setProblem] = useState(toProblem(error));
  useEffect(() => {
    ports.context.files.read().then((bytes) => setHasNotes(bytes !== undefined), () => {});
  }, []);
  return (
    <FailedScreen
      problem={problem}
      onReload={() => location.reload()}
      onSave={hasNotes ? () => void onSave().catch((error) => setProblem(toProblem(error))) : undefined}
      onDefaults={() => {
        ports.settings.reset();
        onRetry();
      }}
    />
  );
}
