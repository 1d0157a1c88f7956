/** Tells how the process that it is part of fares, on a port of its own. */
import { type Gaps, probeLoop } from "../loop_probe.ts";

/** The environment variable that names the port. */
export const PROBE_PORT = "TONADO_BENCH_PROBE_PORT";

/** What is told. */
export interface Probed extends Gaps {
  /** Bytes. */
  readonly rss: number;
}

/** Probes from now on. */
export function serveProbe(): void {
  const probe = probeLoop();
  const port = Number(Deno.env.get(PROBE_PORT));
  Deno.serve(
    { hostname: "127.0.0.1", port, onListen: () => {} },
    () => Response.json({ ...probe.gaps(), rss: Deno.memoryUsage().rss }),
  );
}

/** Asks a process. */
export async function askProbe(port: number): Promise<Probed> {
  return await (await fetch(`http://127.0.0.1:${port}/`)).json();
}
