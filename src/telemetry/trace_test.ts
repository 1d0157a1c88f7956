import { deepEqual, rejects } from "node:assert/strict";
import {
  type Attributes,
  type AttributeValue,
  type Context,
  context,
  type ContextManager,
  ROOT_CONTEXT,
  type Span,
  type SpanStatus,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { Problem } from "../core/errors/problem.ts";
import { nameRequestSpan, redactTracedUrls, withSpan } from "./trace.ts";

class RecordingSpan implements Span {
  attributes: Attributes = {};
  status: SpanStatus = { code: SpanStatusCode.UNSET };
  ended = 0;
  exceptions = 0;

  constructor(public name: string) {}

  setAttribute(key: string, value: AttributeValue): this {
    this.attributes[key] = value;
    return this;
  }
  setStatus(status: SpanStatus): this {
    this.status = status;
    return this;
  }
  updateName(name: string): this {
    this.name = name;
    return this;
  }
  end(): void {
    this.ended++;
  }
  recordException(): void {
    this.exceptions++;
  }
  setAttributes = () => this;
  addEvent = () => this;
  addLink = () => this;
  addLinks = () => this;
  isRecording = () => true;
  spanContext = () => ({ traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 });
}

class SynchronousContext implements ContextManager {
  #active = ROOT_CONTEXT;
  active = () => this.#active;
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    act: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    const before = this.#active;
    this.#active = active;
    try {
      return act.call(thisArg, ...args);
    } finally {
      this.#active = before;
    }
  }
  bind = <T>(_: Context, target: T): T => target;
  enable = () => this;
  disable = () => this;
}

const spans: RecordingSpan[] = [];
const startSpan = (name: string) => {
  const span = new RecordingSpan(name);
  spans.push(span);
  return span;
};
context.setGlobalContextManager(new SynchronousContext());
trace.setGlobalTracerProvider({
  getTracer: () => ({
    startSpan,
    startActiveSpan: (name: string, act: (span: Span) => unknown) => act(startSpan(name)),
  } as ReturnType<typeof trace.getTracer>),
});

Deno.test("a failed span has the error's code but not its message, and the error is rethrown", async () => {
  const failures: [error: unknown, code: string][] = [
    [new Problem("proof_invalid", "the note 0123"), "proof_invalid"],
    [new Error("the note 0123"), "internal"],
    ["the note 0123", "internal"],
  ];
  for (const [error, code] of failures) {
    await rejects(withSpan("proof", () => Promise.reject(error)), (thrown) => thrown === error);
    const { name, attributes, status, ended, exceptions } = spans.at(-1)!;
    deepEqual([name, attributes, status, ended, exceptions], [
      ...["proof", { "tonado.code": code }, { code: SpanStatusCode.ERROR }, 1, 0],
    ]);
  }
});

Deno.test("a span that succeeds ends once, without a status, and returns the result", async () => {
  deepEqual(await withSpan("proof", () => Promise.resolve(7)), 7);
  const { attributes, status, ended } = spans.at(-1)!;
  deepEqual([attributes, status, ended], [{}, { code: SpanStatusCode.UNSET }, 1]);
});

Deno.test("a request is named by its route, and outside of a request nothing fails", () => {
  nameRequestSpan("GET", "/status");
  const span = startSpan("GET");
  context.with(trace.setSpan(context.active(), span), () => nameRequestSpan("GET", "/tree/path"));
  deepEqual([span.name, span.attributes], ["GET /tree/path", { "http.route": "/tree/path" }]);
});

Deno.test("spans keep the origin of a URL, and neither its path nor its query", () => {
  redactTracedUrls();
  deepEqual(spans.pop()!.ended, 0, "the probe is never exported");
  const span = startSpan("GET");
  span.setAttribute("url.full", "https://hooks.example.com/hunter2?leaf=5")
    .setAttribute("url.path", "/hunter2")
    .setAttribute("url.query", "leaf=5")
    .setAttribute("http.request.method", "GET");
  deepEqual(span.attributes, { "url.full": "https://hooks.example.com", "http.request.method": "GET" });
  span.setAttribute("url.full", "no url: hunter2");
  deepEqual(span.attributes["url.full"], "https://hooks.example.com");
});
