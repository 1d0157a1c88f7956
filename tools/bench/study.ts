/** The form of studies and their results. */
import { fileURLToPath } from "node:url";
import { type Comparison, measure, median } from "./comparison.ts";

/** The build of the kernels. The wide build needs an engine flag. */
export type Build = "plain" | "wide";

/** A target for a figure. */
export interface Target {
  /** Whether the target applies to the figure or to its ratio. */
  readonly of: "value" | "ratio";
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** For delays of the event loop, in milliseconds. */
const EVENT_LOOP_TARGET: Target = { of: "value", atMost: 20 };

/** A measured number. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** `ms`, `s`, `MB`, `requests/s`, ... */
  readonly unit: string;
  /** Relative to the compared figure: for times its time divided by ours, for rates ours divided by its. */
  readonly ratio?: number;
  readonly target?: Target;
}

/** Makes a figure. Of several measurements, the median counts. */
export function figure(
  name: string,
  measured: number | readonly number[],
  unit: string,
  more: Pick<Figure, "ratio" | "target"> = {},
): Figure {
  return { name, value: typeof measured === "number" ? measured : median(measured), unit, ...more };
}

/** Makes the figure of the longest time for which the event loop was blocked, in milliseconds. */
export function blockFigure(name: string, measured: readonly number[]): Figure {
  return figure(name, Math.max(...measured), "ms", { target: EVENT_LOOP_TARGET });
}

/** Returns the path of a file in artifacts/. */
export function artifactPath(name: string): string {
  return fileURLToPath(new URL(`../../artifacts/${name}`, import.meta.url));
}

/** A point of a curve. */
export interface Point {
  readonly series: string;
  readonly x: number;
  readonly y: number;
}

export interface Outcome {
  readonly figures: readonly Figure[];
  readonly points?: readonly Point[];
}

/** A question to measure, in a process of its own. */
export interface Study {
  /** Its name on the command line and in the results. */
  readonly id: string;
  readonly title: string;
  /** What is compared, and how. */
  readonly about: string;
  /** Default: plain. */
  readonly builds?: readonly Build[];
  run(build: Build): Promise<Outcome>;
}

/** Targets of a comparison, by contender: its time divided by the first contender's. */
export type Targets = Readonly<Record<string, Partial<Record<Build, number>>>>;

/**
 * Creates a study, in both builds, of contenders that take turns. The first one is ours.
 *
 * @param operation the name of one operation
 */
export function comparisonStudy(
  { id, title, about, operation, targets, ...comparison }:
    & Omit<Study, "run" | "builds">
    & Comparison
    & { readonly operation: string; readonly targets: Targets },
): Study {
  return {
    id,
    title,
    about,
    builds: ["plain", "wide"],
    async run(build) {
      const measured = await measure(comparison);
      const figures = measured.map(({ name, milliseconds, ratio }, i) => {
        const atLeast = targets[name]?.[build];
        return figure(name, milliseconds, `ms a ${operation}`, {
          ...i > 0 && { ratio },
          ...atLeast !== undefined && { target: { of: "ratio", atLeast } },
        });
      });
      return { figures };
    },
  };
}

/** Returns whether a figure meets its target, and the compared number; undefined without a target. */
export function checkTarget(
  { value, ratio, target }: Figure,
): { met: boolean; measured: number } | undefined {
  const measured = target?.of === "ratio" ? ratio : value;
  if (target === undefined || measured === undefined) return undefined;
  const { atLeast = -Infinity, atMost = Infinity } = target;
  return { met: measured >= atLeast && measured <= atMost, measured };
}
