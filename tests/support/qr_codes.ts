/** Reads the QR codes of a page as a camera does: each drawn in pixels, then found and decoded by another's library. */
import jsqr from "jsqr";

/** Pixels a module. */
const SCALE = 4;
/** How uqr draws: squares of ten units. */
const UNIT = 10;

/** What the SVG codes in `html` say, in their order. */
export function qrCodes(html: string): string[] {
  return [...html.matchAll(/<svg[^>]* viewBox="0 0 ([0-9]+) [0-9]+">(.*?)<\/svg>/gs)].map(
    ([, units, drawn]) => {
      const side = Number(units) / UNIT * SCALE;
      const pixels = new Uint8ClampedArray(4 * side * side).fill(255);
      for (const [, x, y] of drawn.matchAll(/M([0-9]+),([0-9]+)h10v10h-10z/g)) {
        for (let i = 0; i < SCALE * SCALE; i++) {
          const column = Number(x) / UNIT * SCALE + i % SCALE;
          const row = Number(y) / UNIT * SCALE + Math.floor(i / SCALE);
          pixels.fill(0, 4 * (row * side + column), 4 * (row * side + column) + 3);
        }
      }
      const found = jsqr.default(pixels, side, side);
      if (!found) throw new Error("no code is found in the drawing");
      return found.data;
    },
  );
}
