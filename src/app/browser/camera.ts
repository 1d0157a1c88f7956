/// <reference lib="dom" />
/** Reads QR codes with the camera: with the browser's own detector, or with jsQR, which is loaded at the first use. */
import { cancelled, delay } from "../../core/time/deadline.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { CodeScanner } from "../ports.ts";

/** Interval between two pictures. A code is in front of the camera for longer than that. */
const INTERVAL_MS = 120;
const MAX_SIDE = 1024;

/** The used part of the Shape Detection API, which TypeScript's library does not declare. */
interface Detector {
  detect(source: CanvasImageSource): Promise<readonly { readonly rawValue: string }[]>;
}
interface DetectorClass {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats(): Promise<string[]>;
}
type ReadCodes = (video: HTMLVideoElement) => Promise<readonly string[]>;

export const cameraScanner: CodeScanner = {
  async isAvailable() {
    try {
      const devices = await navigator.mediaDevices.enumerateDevices();
      return devices.some(({ kind }) => kind === "videoinput");
    } catch { // no camera, or access denied
      return false;
    }
  },
  async scan(element, accepts, signal) {
    const video = element as HTMLVideoElement;
    const stream = await openCamera();
    try {
      if (signal.aborted) throw cancelled(signal);
      video.srcObject = stream;
      video.playsInline = true;
      video.muted = true;
      await video.play().catch(() => {
        throw new Problem("camera_unavailable");
      });
      const readCodes = await chooseReader();
      for (;;) {
        const found = (await readCodes(video)).find(accepts);
        if (found !== undefined) return found;
        await delay(INTERVAL_MS, signal);
      }
    } finally {
      for (const track of stream.getTracks()) track.stop();
      video.srcObject = null;
    }
  },
};

async function openCamera(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" }, audio: false });
  } catch (error) {
    const isDenied = error instanceof DOMException && error.name === "NotAllowedError";
    throw new Problem(
      "camera_unavailable",
      isDenied ? "the browser denies the camera" : "no camera can be opened",
    );
  }
}

async function chooseReader(): Promise<ReadCodes> {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: DetectorClass };
  if (BarcodeDetector && (await BarcodeDetector.getSupportedFormats()).includes("qr_code")) {
    const detector = new BarcodeDetector({ formats: ["qr_code"] });
    return async (video) => (await detector.detect(video).catch(() => [])).map(({ rawValue }) => rawValue);
  }
  const { default: module } = await import("jsqr");
  const jsQR = (module as unknown as { default?: typeof module }).default ?? module;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  return (video) => {
    const scale = Math.min(1, MAX_SIDE / Math.max(video.videoWidth, video.videoHeight, 1));
    canvas.width = Math.round(video.videoWidth * scale);
    canvas.height = Math.round(video.videoHeight * scale);
    if (canvas.width === 0 || canvas.height === 0) return Promise.resolve([]);
    context.drawImage(video, 0, 0, canvas.width, canvas.height);
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    const found = (jsQR as unknown as typeof import("jsqr").default)(data, width, height);
    return Promise.resolve(found ? [found.data] : []);
  };
}
