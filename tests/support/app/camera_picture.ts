/** Creates a video file of one QR code, for a browser whose camera is a file. */
import { encode } from "uqr";

const WIDTH = 640;
const HEIGHT = 480;
const FRAMES = 4;
/** The grey around the code, as on a table. */
const TABLE = 128;

/** Returns Y4M, which `--use-file-for-fake-video-capture` plays in a loop. */
export function qrVideo(text: string): Uint8Array {
  const { data, size } = encode(text, { border: 4 });
  const scale = Math.floor(HEIGHT / size);
  const [left, top] = [(WIDTH - size * scale) >> 1, (HEIGHT - size * scale) >> 1];
  const luma = new Uint8Array(WIDTH * HEIGHT).fill(TABLE);
  data.forEach((row, y) =>
    row.forEach((dark, x) => {
      for (let line = 0; line < scale; line++) {
        const at = (top + y * scale + line) * WIDTH + left + x * scale;
        luma.fill(dark ? 16 : 235, at, at + scale);
      }
    })
  );
  const colourless = new Uint8Array(WIDTH * HEIGHT / 2).fill(128);
  const ascii = (line: string) => new TextEncoder().encode(line);
  const frame = [ascii("FRAME\n"), luma, colourless];
  const parts = [ascii(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420jpeg\n`)];
  for (let i = 0; i < FRAMES; i++) parts.push(...frame);
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/**
 * Returns the arguments of a browser that plays `file` as its camera, which pages may use without a prompt.
 */
export const cameraArguments = (file: string): string[] => [
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
  `--use-file-for-fake-video-capture=${file}`,
];
