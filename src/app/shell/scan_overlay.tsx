/// <reference lib="dom" />
/** The camera's picture while a QR code is read. */
import { useEffect, useRef, useState } from "preact/hooks";
import { toProblem } from "../flows/machine.ts";
import type { Problem } from "../../core/errors/problem.ts";
import { Notice, ProblemNotice } from "../views/parts.tsx";
import { texts } from "../text/texts.ts";
import type { AppPorts } from "./app_ports.ts";

const TITLE_ID = "scan-title";

export interface ScannerState {
  /** Undefined without a camera. */
  readonly start?: (onCode: (code: string) => void) => void;
  readonly active?: {
    readonly onVideo: (video: HTMLVideoElement) => void;
    /** Whether the camera sees a code of another kind. */
    readonly isOtherCode: boolean;
    readonly problem?: Problem;
  };
  readonly stop: () => void;
}

export function useScanner({ scanner }: AppPorts, accepts: (text: string) => boolean): ScannerState {
  const [isAvailable, setAvailable] = useState(false);
  const [onCode, setOnCode] = useState<{ readonly call: (code: string) => void }>();
  const [problem, setProblem] = useState<Problem>();
  const [isOtherCode, setOtherCode] = useState(false);
  const end = useRef<AbortController | undefined>(undefined);
  useEffect(() => void scanner.isAvailable().then(setAvailable, () => setAvailable(false)), []);
  const stop = () => {
    end.current?.abort();
    setOnCode(undefined);
    setProblem(undefined);
    setOtherCode(false);
  };
  const isMeant = (text: string) => {
    const isAccepted = accepts(text);
    setOtherCode(!isAccepted);
    return isAccepted;
  };
  useEffect(() => stop, []);
  return {
    stop,
    ...isAvailable && { start: (call: (code: string) => void) => setOnCode({ call }) },
    ...onCode && {
      active: {
        isOtherCode,
        ...problem && { problem },
        onVideo(video: HTMLVideoElement) {
          end.current = new AbortController();
          scanner.scan(video, isMeant, end.current.signal).then((code) => {
            onCode.call(code);
            stop();
          }).catch((error) => {
            const problem = toProblem(error);
            if (problem.code !== "cancelled") setProblem(problem);
          });
        },
      },
    },
  };
}

export function ScanOverlay(
  { scan, label }: {
    readonly scan: ScannerState;
    /** Names the thing to scan. */
    readonly label: string;
  },
) {
  const dialog = useRef<HTMLDialogElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const isActive = scan.active !== undefined;
  useEffect(() => {
    if (!video.current) return;
    dialog.current?.showModal(); // keeps the focus inside
    scan.active?.onVideo(video.current);
  }, [isActive]);
  if (scan.active === undefined) return null;
  return (
    <dialog ref={dialog} class="overlay" aria-labelledby={TITLE_ID} onClose={scan.stop}>
      <h2 id={TITLE_ID}>{label}</h2>
      <ProblemNotice problem={scan.active.problem} />
      {scan.active.isOtherCode && <Notice kind="warning" live="polite" text={texts.app.otherCode} />}
      <video ref={video} playsInline muted />
      <button type="button" class="button plain" onClick={scan.stop}>{texts.app.close}</button>
    </dialog>
  );
}
