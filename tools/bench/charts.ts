/** Draws the charts of docs/performance.md with vega-lite. */
import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import type { StudyResult } from "./results.ts";
import type { Point, Study } from "./study.ts";
import { checkTarget } from "./study.ts";

const WIDTH = 560;
const HEIGHT = 260;
const config = { background: "white", font: "sans-serif", legend: { title: null } };

async function svg(spec: TopLevelSpec): Promise<string> {
  const view = new View(parse(compile(spec).spec), { renderer: "none" });
  return `${await view.toSVG()}\n`;
}

/** Draws a curve for each series on logarithmic axes. */
export function drawCurves(points: readonly Point[], x: string, y: string, title: string): Promise<string> {
  return svg({
    title,
    width: WIDTH,
    height: HEIGHT,
    config,
    data: { values: [...points] },
    mark: { type: "line", point: true },
    encoding: {
      x: {
        field: "x",
        type: "quantitative",
        title: x,
        scale: { type: "log", base: 2 },
        axis: { format: ",d", values: [...new Set(points.map(({ x }) => x))] },
      },
      y: { field: "y", type: "quantitative", title: y, scale: { type: "log", base: 10 } },
      color: { field: "series", type: "nominal", legend: { orient: "bottom", columns: 3 } },
    },
  });
}

/** The left end of the axis of {@link drawTargets}. */
const MIN_SHOWN_RATIO = 1 / 16;

/** Draws how far each figure is from its target, as bars from 1, the target. Bars to the right meet it. */
export function drawTargets(studies: readonly Study[], results: readonly StudyResult[]): Promise<string> {
  const values = studies.flatMap(({ id, title, builds }) =>
    results.filter(({ study }) => study === id).flatMap(({ build, figures }) =>
      figures.flatMap((figure) => {
        const found = checkTarget(figure);
        if (!found || !figure.target) return [];
        const { atLeast, atMost } = figure.target;
        const share = atLeast === undefined ? atMost! / found.measured : found.measured / atLeast;
        const name = `${title}: ${figure.name}${builds ? ` (${build})` : ""}`;
        return [{ name, share, met: found.met ? "met" : "missed" }];
      })
    )
  );
  return svg({
    title: "Measured over target, logarithmic; at 1 the target is met",
    width: WIDTH / 2,
    config,
    data: { values },
    layer: [
      {
        mark: "bar",
        encoding: {
          y: { field: "name", type: "nominal", title: null, sort: null, axis: { labelLimit: 900 } },
          x: {
            field: "share",
            type: "quantitative",
            title: null,
            scale: { type: "log", base: 2, domainMin: MIN_SHOWN_RATIO, clamp: true },
          },
          x2: { datum: 1 },
          color: {
            field: "met",
            type: "nominal",
            scale: { domain: ["met", "missed"], range: ["#4c78a8", "#e45756"] },
            legend: null,
          },
        },
      },
      { mark: { type: "rule", color: "black" }, encoding: { x: { datum: 1 } } },
    ],
  });
}
