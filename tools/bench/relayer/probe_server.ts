/** Serves the event loop's delays and memory of its own process on a separate port. */
import { type LoopDelays, startLoopProbe } from "../event_loop_probe.ts";

/** The environment variable with the port. */
export const PROBE_PORT = "TONADO_BENCH_PROBE_PORT";

export interface ProbeReport extends LoopDelays {
  /** Bytes. */
  readonly rss: number;
}

/** Starts the probe and its server. */
export function serveProbe(): void {
  const probe = startLoopProbe();
  const port = Number(Deno.env.get(PROBE_PORT));
  Deno.serve(
    { hostname: "127.0.0.1", port, onListen: () => {} },
    () => Response.json({ ...probe.gaps(), rss: Deno.memoryUsage().rss }),
  );
}

/** Reads the probe of another process. */
export async function askProbe(port: number): Promise<ProbeReport> {
  return await (await fetch(`http://127.0.0.1:${port}/`)).json();
}
