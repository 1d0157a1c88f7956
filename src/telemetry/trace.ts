/** URLs are removed from spans: the query of /tree/path names a deposit, and a webhook's path is a secret. */
import { type Span, SpanStatusCode, trace } from "@opentelemetry/api";

const tracer = trace.getTracer("tonado");

const URL_REDACTIONS: Readonly<Record<string, (value: unknown) => unknown>> = {
  "url.full": (value) => URL.parse(String(value))?.origin,
  "url.path": () => undefined,
  "url.query": () => undefined,
};

/** Patches the span class: attributes cannot be removed later. Call it once, before serving or fetching. */
export function redactTracedUrls(): void {
  const probe = tracer.startSpan("probe"); // never ended, so never exported
  if (!probe.isRecording()) return;
  const spans = Object.getPrototypeOf(probe) as Span;
  const write = spans.setAttribute;
  spans.setAttribute = function (key, value) {
    const cut = URL_REDACTIONS[key];
    const kept = cut === undefined ? value : cut(value) as typeof value;
    return kept === undefined ? this : write.call(this, key, kept);
  };
}

export function nameRequestSpan(method: string, route: string): void {
  trace.getActiveSpan()?.updateName(`${method} ${route}`).setAttribute("http.route", route);
}

/** Records only the code of a failure: a message may quote client input. */
export async function withSpan<T>(name: string, act: () => Promise<T>): Promise<T> {
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
