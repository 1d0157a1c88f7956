/**
 * Reads the QR codes of a page as a camera does: renders them as pixels and decodes them with an independent library.
 */
import jsqr from "jsqr";

const PIXELS_PER_MODULE = 4;
/** uqr draws modules as squares of ten units. */
const SVG_UNITS_PER_MODULE = 10;

/** Returns the contents of the SVG codes in `html`, in order. */
export function decodeQrCodes(html: string): string[] {
  return [...html.matchAll(/<svg[^>]* viewBox="0 0 ([0-9]+) [0-9]+">(.*?)<\/svg>/gs)].map(
    ([, units, drawn]) => {
      const side = Number(units) / SVG_UNITS_PER_MODULE * PIXELS_PER_MODULE;
      const pixels = new Uint8ClampedArray(4 * side * side).fill(255);
      for (const [, x, y] of drawn.matchAll(/M([0-9]+),([0-9]+)h10v10h-10z/g)) {
        for (let i = 0; i < PIXELS_PER_MODULE * PIXELS_PER_MODULE; i++) {
          const column = Number(x) / SVG_UNITS_PER_MODULE * PIXELS_PER_MODULE + i % PIXELS_PER_MODULE;
          const row = Number(y) / SVG_UNITS_PER_MODULE * PIXELS_PER_MODULE +
            Math.floor(i / PIXELS_PER_MODULE);
          pixels.fill(0, 4 * (row * side + column), 4 * (row * side + column) + 3);
        }
      }
      const found = jsqr.default(pixels, side, side);
      if (!found) throw new Error("no code is found in the drawing");
      return found.data;
    },
  );
}
