/** Loads the screen of a settlement when it is opened, because few visits need it. */
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../../../core/errors/problem.ts";
import { texts } from "../../text/texts.ts";
import { Button, Step } from "../../views/parts.tsx";
import type { SettleScreenProps } from "./settle_screen.tsx";

type Loaded = typeof import("./settle_screen.tsx") | "failed";

export function SettleScreen(props: SettleScreenProps) {
  const [loaded, setLoaded] = useState<Loaded>();
  const load = () => {
    setLoaded(undefined);
    void import("./settle_screen.tsx").then(setLoaded, () => setLoaded("failed"));
  };
  useEffect(load, []);
  const { settle, app, deposit } = texts;
  if (loaded === undefined) {
    return <Step name="settle-loading" title={settle.title} progress={settle.reading(0)} />;
  }
  if (loaded === "failed") {
    const problem = new Problem("artifact_unavailable");
    return (
      <Step name="settle-missing" title={settle.failedTitle} problem={problem}>
        <Button kind="primary" onClick={load}>{app.retry}</Button>
        <Button kind="quiet" onClick={props.onDone}>{deposit.toNotes}</Button>
      </Step>
    );
  }
  return <loaded.SettleScreen {...props} />;
}
