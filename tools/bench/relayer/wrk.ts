/** HTTP load by wrk, a generator in C: `apt-get install wrk`. */
import { childCommand } from "../../../testkit/programs/child_command.ts";

export interface Load {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly bytesPerSecond: number;
  /** Answers other than 2xx and 3xx. */
  readonly refused: number;
  readonly answers: number;
}

interface LoadOptions {
  readonly seconds: number;
  readonly connections: number;
  /** A Lua script. Default: GET. */
  readonly script?: string;
}

const UNITS: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };
const SIZES: Record<string, number> = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** Loads `url`. @throws Error if wrk is missing or connections break */
export async function runLoad(url: string, { seconds, connections, script }: LoadOptions): Promise<Load> {
  const file = script && await Deno.makeTempFile({ suffix: ".lua" });
  try {
    if (file) await Deno.writeTextFile(file, script!);
    const { stdout, stderr, success } = await childCommand("wrk", {
      args: [
        "--threads=1",
        `--connections=${connections}`,
        `--duration=${seconds}s`,
        "--timeout=20s",
        "--latency",
        ...file ? ["--script", file] : [],
        url,
      ],
    }).output();
    const text = new TextDecoder().decode(stdout);
    if (!success) throw new Error(`wrk failed: ${new TextDecoder().decode(stderr)}${text}`);
    return parse(text);
  } finally {
    if (file) await Deno.remove(file);
  }
}

function parse(text: string): Load {
  const found = (pattern: RegExp) => {
    const match = pattern.exec(text);
    if (!match) throw new Error(`wrk said something else: ${text}`);
    return match;
  };
  const [, p99, unit] = found(/99%\s+([\d.]+)(us|ms|s|m)/);
  const [, transfer, size] = found(/Transfer\/sec:\s+([\d.]+)([KMG]?)B/);
  if (/Socket errors:.*[1-9]/.test(text)) throw new Error(`connections broke: ${text}`);
  return {
    perSecond: Number(found(/Requests\/sec:\s+([\d.]+)/)[1]),
    p99Ms: Number(p99) * UNITS[unit],
    bytesPerSecond: Number(transfer) * SIZES[size],
    refused: Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0),
    answers: Number(found(/(\d+) requests in/)[1]),
  };
}

/** Returns a script that posts one body. */
export function postScript(body: unknown): string {
  return `wrk.method = "POST"\nwrk.headers["content-type"] = "application/json"\nwrk.body = [==[${
    JSON.stringify(body)
  }]==]\n`;
}

/** Returns a script that posts a body with a different number in place of `mark` each time. */
export function postScriptWithCounter(body: unknown, mark: string): string {
  const [before, after] = JSON.stringify(body).split(mark);
  return [
    postScript({}),
    "local n = 1000000",
    "request = function()",
    "  n = n + 1",
    `  return wrk.format(nil, nil, nil, [==[${before}]==] .. n .. [==[${after}]==])`,
    "end",
    "",
  ].join("\n");
}
