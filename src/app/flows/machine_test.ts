import { deepEqual, equal } from "node:assert/strict";
import { Problem } from "../../core/errors/problem.ts";
import { type Machine, startFlow } from "./machine.ts";

type State = { readonly step: "idle" | "busy"; readonly seen: readonly string[] };
type Event = { readonly type: "start" } | { readonly type: "stop" } | {
  readonly type: "result";
  readonly text: string;
};

function counter(work: (signal: AbortSignal, send: (event: Event) => void) => Promise<void>) {
  const machine: Machine<State, Event> = {
    next: (state, event) =>
      event.type === "start"
        ? { ...state, step: "busy" }
        : event.type === "stop"
        ? { ...state, step: "idle" }
        : { ...state, seen: [...state.seen, event.text] },
    works: ({ step }) => step === "busy" ? { only: work } : {},
    failed: ({ code }) => ({ type: "result", text: code }),
  };
  return startFlow(machine, { step: "idle", seen: [] });
}

const settle = () => new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(resolve)));

Deno.test("work starts once with its state, and continues across states that need it", async () => {
  let starts = 0;
  const flow = counter((_signal, send) => {
    if (++starts === 1) send({ type: "result", text: "first" });
    return Promise.resolve();
  });
  flow.send({ type: "start" });
  flow.send({ type: "start" });
  await settle();
  deepEqual([starts, flow.state.seen], [1, ["first"]]);
});

Deno.test("work is aborted when its state ends, and what it sends afterwards is dropped", async () => {
  let aborted = false;
  let late = (_event: Event) => {};
  const flow = counter((signal, send) => {
    signal.addEventListener("abort", () => aborted = true);
    late = send;
    return new Promise(() => {});
  });
  flow.send({ type: "start" });
  flow.send({ type: "stop" });
  late({ type: "result", text: "late" });
  await settle();
  deepEqual([aborted, flow.state.seen], [true, []]);
});

Deno.test("a failure sends one event, a cancellation none, and an unexpected error's message is not quoted", async () => {
  const outcomes: string[] = [];
  for (
    const error of [
      new Problem("wrong_pool"),
      new Problem("cancelled"),
      new Error("tonado-native-1-0xsecret"),
    ]
  ) {
    const flow = counter(() => Promise.reject(error));
    flow.send({ type: "start" });
    await settle();
    outcomes.push(flow.state.seen.join());
  }
  deepEqual(outcomes, ["wrong_pool", "", "internal"]);
});

Deno.test("a stopped flow does not change", () => {
  const flow = counter(() => Promise.resolve());
  flow.stop();
  flow.send({ type: "start" });
  equal(flow.state.step, "idle");
});
