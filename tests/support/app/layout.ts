/// <reference lib="dom" />
/** Finds faults in the layout of a screen by the boxes of its controls and texts, independent of the font. */
import type { Page } from "puppeteer-core";

/** A visible control or block of text. */
export interface Part {
  readonly name: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** Indices of the parts that contain this one in the document. */
  readonly within: readonly number[];
  /** Equal for elements with the same parent. */
  readonly parent: number;
  /** Whether the content is wider than the part. */
  readonly isClipped: boolean;
  /** The sides of the section of a list of them, or else of the heading, for the column of a primary action. */
  readonly column?: { readonly left: number; readonly right: number };
}

/** Boxes are rounded to fractions of a pixel. */
const TOLERANCE_PX = 1;

/** Returns each fault of the screen as a sentence. */
export async function findLayoutFaults(page: Page): Promise<string[]> {
  const { parts, width } = await page.evaluate(readParts);
  return [
    ...findOverflows(parts, width),
    ...findOverlaps(parts),
    ...findDisorder(parts),
    ...findMisaligned(parts),
  ];
}

export function findOverflows(parts: readonly Part[], width: number): string[] {
  return parts.flatMap(({ name, left, right, isClipped }) => [
    ...left < -TOLERANCE_PX || right > width + TOLERANCE_PX ? [`${name} leaves the screen`] : [],
    ...isClipped ? [`${name} is narrower than its content`] : [],
  ]);
}

export function findOverlaps(parts: readonly Part[]): string[] {
  return pairsOf(parts)
    .filter(([a, b]) => sharesColumn(a, b) && sharesRow(a, b))
    .map(([a, b]) => `${a.name} and ${b.name} overlap`);
}

/**
 * Returns parts that are out of order. Parts are read from top to bottom, and parts of one parent also from
 * left to right.
 */
export function findDisorder(parts: readonly Part[]): string[] {
  return pairsOf(parts).flatMap(([a, b]) => [
    ...sharesColumn(a, b) && b.bottom <= a.top + TOLERANCE_PX ? [`${b.name} is above ${a.name}`] : [],
    ...a.parent === b.parent && sharesRow(a, b) && b.right <= a.left + TOLERANCE_PX
      ? [`${b.name} is left of ${a.name}`]
      : [],
  ]);
}

export function findMisaligned(parts: readonly Part[]): string[] {
  return parts.filter(({ left, right, column }) =>
    column && (Math.abs(left - column.left) > TOLERANCE_PX || Math.abs(right - column.right) > TOLERANCE_PX)
  ).map(({ name }) => `${name} does not fill its column`);
}

/** Returns the pairs in document order, except those where one part contains the other. */
function pairsOf(parts: readonly Part[]): [Part, Part][] {
  return parts.flatMap((b, i) =>
    parts.slice(0, i).filter((_, j) => !b.within.includes(j)).map((a): [Part, Part] => [a, b])
  );
}

const sharesColumn = (a: Part, b: Part) =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left) > TOLERANCE_PX;
const sharesRow = (a: Part, b: Part) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > TOLERANCE_PX;

/** Runs in the page. Inline elements belong to the block around them. */
function readParts(): { parts: Part[]; width: number } {
  const controls = "a[href], button, input, textarea, summary, label";
  const isPart = (element: Element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return false; // a closed `details` also has boxes
    if (element.closest(".visually-hidden, .skip") || getComputedStyle(element).display === "inline") {
      return false;
    }
    const hasText = [...element.childNodes].some(({ nodeType, textContent }) =>
      nodeType === Node.TEXT_NODE && textContent?.trim()
    );
    return hasText || element.matches(controls);
  };
  const parents: (Element | null)[] = [];
  const shown = document.querySelector("dialog[open]") ?? document.body; // a dialog covers the page
  const elements = [...shown.querySelectorAll("*")].filter(isPart);
  const parts = elements.map((element): Part => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const parent = element.parentElement;
    if (!parents.includes(parent)) parents.push(parent);
    const column = element.matches(".button.primary")
      ? (element.closest(".sections > section") ?? element.closest(".step")?.querySelector("h1"))
        ?.getBoundingClientRect()
      : undefined;
    return {
      name: `${element.localName} "${(element.textContent ?? "").trim().slice(0, 40)}"`,
      left,
      top,
      right,
      bottom,
      within: elements.flatMap((other, i) => other !== element && other.contains(element) ? [i] : []),
      parent: parents.indexOf(parent),
      isClipped: !element.matches("input, textarea") && element.scrollWidth > element.clientWidth + 1,
      ...column && { column: { left: column.left, right: column.right } },
    };
  });
  return { parts, width: document.documentElement.clientWidth };
}
