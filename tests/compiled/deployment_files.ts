/** Dockerfile, compose.yaml and the systemd unit as those read them who run them, for tests that do what they say. */
import { DockerfileParser } from "dockerfile-ast";
import { parse } from "yaml";

const root = new URL("../../", import.meta.url);
/** @returns the text of a file of the repository */
export const read = (path: string): Promise<string> => Deno.readTextFile(new URL(path, root));

/** One instruction of the Dockerfile. */
export interface Instruction {
  readonly keyword: string;
  /** All that follows, continuation lines joined. */
  readonly text: string;
  readonly words: readonly string[];
  /** Flags like `--from=release`, by name. */
  readonly flags: Readonly<Record<string, string>>;
}

/** The Dockerfile's instructions in order. */
export async function dockerfile(): Promise<Instruction[]> {
  return DockerfileParser.parse(await read("Dockerfile")).getInstructions().map((instruction) => {
    const flags = "getFlags" in instruction && typeof instruction.getFlags === "function"
      ? instruction.getFlags()
      : [];
    return {
      keyword: instruction.getKeyword(),
      text: instruction.getArgumentsContent() ?? "",
      words: instruction.getArguments().map((word) => word.getValue()),
      flags: Object.fromEntries(
        flags.map((flag: { getName(): string; getValue(): string }) => [flag.getName(), flag.getValue()]),
      ),
    };
  });
}

/** What .dockerignore lets into the build: it refuses everything first. */
export async function buildContext(): Promise<string[]> {
  const [first, ...rest] = (await read(".dockerignore")).trim().split("\n");
  if (first !== "*" || rest.some((line) => !line.startsWith("!"))) {
    throw new Error("what is let in is not listed");
  }
  return rest.map((line) => line.slice(1));
}

/** A service of compose.yaml: the parts that tests rely on. */
export interface Service extends Readonly<Record<string, unknown>> {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Files of variables, which those of `environment` win over. */
  readonly env_file?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

/** compose.yaml, its `${NAME:-default}` and `${NAME:?message}` filled in from `env`. */
export async function compose(env: Readonly<Record<string, string>> = {}) {
  const text = (await read("compose.yaml")).replace(
    /\$\{([A-Z_]+):([-?])([^}]*)\}/g,
    (_, name: string, kind: string, rest: string) => {
      if (env[name] === undefined && kind === "?") throw new Error(`${name}: ${rest}`);
      return env[name] ?? rest;
    },
  );
  return parse(text) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  };
}

/** What Prometheus asks, of which host and port. */
export async function scrapeTarget(): Promise<{ host: string; port: number; path: string }> {
  const { scrape_configs: [job, ...others] } = parse(await read("docs/operating/prometheus.yml"));
  const [target, ...more] = job.static_configs[0].targets;
  if (others.length + more.length > 0) throw new Error("there is more than one target");
  const [host, port] = target.split(":");
  return { host, port: Number(port), path: job.metrics_path ?? "/metrics" };
}

/**
 * The unit's section [Service]: each directive's values in order. An empty value stays in the list: it takes back those
 * before it.
 */
export async function unitDirectives(): Promise<Map<string, string[]>> {
  const text = await read("docs/operating/tonado.service");
  const section = text.split(/^\[(\w+)\]$/m);
  const found = new Map<string, string[]>();
  for (const line of section[section.indexOf("Service") + 1].split("\n")) {
    if (!/^\w+=/.test(line)) continue;
    const [name, value] = [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)];
    found.set(name, [...found.get(name) ?? [], value]);
  }
  return found;
}
