/// <reference lib="dom" />
import type { Page } from "puppeteer-core";

/** Shifts the clock of a page by `shift` milliseconds. It runs in the page, before the app. */
export function shiftClock(shift: number): void {
  const scope = globalThis as typeof globalThis & { clockShift: number };
  scope.clockShift = shift;
  const now = Date.now;
  const shifted = () => now() + scope.clockShift;
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...args: unknown[]) {
      super(...(args.length === 0 ? [shifted()] : args) as [number]);
    }
    static override now = shifted;
  } as DateConstructor;
}

/** Advances the clock of a profile's pages by `shift` milliseconds once {@linkcode passTime} was called. It runs in the page. */
export function shiftAfterMark(shift: number): void {
  if (location.protocol === "about:" || localStorage.getItem("test-time-passed") === null) return;
  const now = Date.now;
  Date.now = () => now() + shift;
}

/** Applies to pages that are loaded later. */
export async function passTime(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.setItem("test-time-passed", "1"));
}
