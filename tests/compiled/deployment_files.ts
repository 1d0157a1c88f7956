/** Parses Dockerfile, compose.yaml and the systemd unit as their users do, for tests that execute them. */
import { DockerfileParser } from "dockerfile-ast";
import { parse } from "yaml";

const root = new URL("../../", import.meta.url);
/** Reads a file of the repository. */
export const read = (path: string): Promise<string> => Deno.readTextFile(new URL(path, root));

/** An instruction of the Dockerfile. */
export interface Instruction {
  readonly keyword: string;
  /** The text after the keyword, continuation lines joined. */
  readonly text: string;
  readonly words: readonly string[];
  /** Flags such as `--from=release`, by name. */
  readonly flags: Readonly<Record<string, string>>;
}

/** Returns the Dockerfile's instructions in order. */
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

/** Returns the files that .dockerignore admits to the build. It excludes everything first. */
export async function buildContext(): Promise<string[]> {
  const [first, ...rest] = (await read(".dockerignore")).trim().split("\n");
  if (first !== "*" || rest.some((line) => !line.startsWith("!"))) {
    throw new Error("what is let in is not listed");
  }
  return rest.map((line) => line.slice(1));
}

/** The parts of a service in compose.yaml that tests use. */
export interface Service extends Readonly<Record<string, unknown>> {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Files of variables. `environment` overrides them. */
  readonly env_file?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

/** Parses compose.yaml, with `${NAME:-default}` and `${NAME:?message}` replaced from `env`. */
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

/** Returns the host, port and path that Prometheus scrapes. */
export async function scrapeTarget(): Promise<{ host: string; port: number; path: string }> {
  const { scrape_configs: [job, ...others] } = parse(await read("docs/operating/prometheus.yml"));
  const [target, ...more] = job.static_configs[0].targets;
  if (others.length + more.length > 0) throw new Error("there is more than one target");
  const [host, port] = target.split(":");
  return { host, port: Number(port), path: job.metrics_path ?? "/metrics" };
}

/**
 * Returns the values of each directive in the unit's section [Service], in order. An empty value stays in the list:
 * it resets those before it.
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
