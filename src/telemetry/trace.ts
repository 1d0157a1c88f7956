/**
 * Traces by OpenTelemetry, which the runtime exports when OTEL_DENO is set; without it every call here does nothing.
 * The runtime makes the spans of requests itself, and writes whole URLs into them: the query of /tree/path names a
 * deposit, and a webhook's path is a secret, so these attributes are cut before they are stored.
 */
import { type Span, SpanStatusCode, trace } from "@opentelemetry/api";

const tracer = trace.getTracer("tonado");

/** What is recorded of a URL; undefined: nothing. */
const urlAttributes: Readonly<Record<string, (value: unknown) => unknown>> = {
  "url.full": (value) => URL.parse(String(value))?.origin,
  "url.path": () => undefined,
  "url.query": () => undefined,
};

/**
 * Keeps paths and queries out of the spans that the runtime makes. Spans can be added to but not taken from, so this is
 * done where they are written: the one class of spans. Called once, before anything is served or fetched.
 */
export function cutTracedUrls(): void {
  const probe = tracer.startSpan("probe"); // never ended, so never exported
  if (!probe.isRecording()) return;
  const spans = Object.getPrototypeOf(probe) as Span;
  const write = spans.setAttribute;
  spans.setAttribute = function (key, value) {
    const cut = urlAttributes[key];
    const kept = cut === undefined ? value : cut(value) as typeof value;
    return kept === undefined ? this : write.call(this, key, kept);
  };
}

/** Names the runtime's span of this request by its route. */
export function nameRequest(method: string, route: string): void {
  trace.getActiveSpan()?.updateName(`${method} ${route}`).setAttribute("http.route", route);
}

/** Runs `act` in a span. Of a failure only its code is recorded: a message may quote what a client sent. */
export async function traced<T>(name: string, act: () => Promise<T>): Promise<T> {
  return await tracer.startActiveSpan(name, async (span) => {
    try {
      return await act();
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "internal";
      span.setAttribute("tonado.code", code).setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
