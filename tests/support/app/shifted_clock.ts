/// <reference lib="dom" />
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
