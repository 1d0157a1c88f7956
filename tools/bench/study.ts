/** What the benchmark finds out, and in what form it is kept. */
import { measure, type Section } from "./section.ts";

/** Which build of the kernels runs; the wide one needs a flag of the engine. */
export type Build = "plain" | "wide";

/** A bound that a figure is held against. */
export interface Target {
  /** What is bounded: the figure itself, or its ratio. */
  readonly of: "value" | "ratio";
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Of a block of the event loop, in milliseconds. */
export const NEVER_BLOCKED: Target = { of: "value", atMost: 20 };

/** One number that was measured. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** `ms`, `s`, `MB`, `requests/s`, ... */
  readonly unit: string;
  /** To the figure that the study compares with: of times its time over ours, of rates ours over its. */
  readonly ratio?: number;
  readonly target?: Target;
}

/** A point of a curve. */
export interface Point {
  readonly series: string;
  readonly x: number;
  readonly y: number;
}

/** What a study found. */
export interface Outcome {
  readonly figures: readonly Figure[];
  readonly points?: readonly Point[];
}

/** One thing to find out, in a process of its own. */
export interface Study {
  /** Its name on the command line and in the results. */
  readonly id: string;
  readonly title: string;
  /** What is compared with what, and how. */
  readonly about: string;
  /** Default: the plain one. */
  readonly builds?: readonly Build[];
  run(build: Build): Promise<Outcome>;
}

/** Bounds for a comparison, by the contender that the first one is compared with: its time over the first one's. */
export type Targets = Readonly<Record<string, Partial<Record<Build, number>>>>;

/** A study of contenders that take turns; the first one is ours. */
export function comparison(
  study: Omit<Study, "run" | "title">,
  section: Section,
  targets: Targets = {},
): Study {
  return {
    ...study,
    title: section.title,
    async run(build) {
      const measured = await measure(section);
      const figures = measured.map(({ name, milliseconds, ratio }, i): Figure => {
        const atLeast = targets[name]?.[build];
        return {
          name,
          value: milliseconds,
          unit: `ms a ${section.operation}`,
          ...i > 0 ? { ratio } : {},
          ...atLeast === undefined ? {} : { target: { of: "ratio", atLeast } },
        };
      });
      return { figures };
    },
  };
}

/** Whether a figure keeps its bound, and the number that is held against it; undefined when it has none. */
export function verdict({ value, ratio, target }: Figure): { met: boolean; measured: number } | undefined {
  const measured = target?.of === "ratio" ? ratio : value;
  if (target === undefined || measured === undefined) return undefined;
  const { atLeast = -Infinity, atMost = Infinity } = target;
  return { met: measured >= atLeast && measured <= atMost, measured };
}
