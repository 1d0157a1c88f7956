/**
 * Runs an image as Compose has it run, in namespaces that bubblewrap makes: its file system read-only but for its volume, its
 * program the first process, as the image's user, without capabilities or a way to new ones. A key of the service that is not
 * known here fails.
 */
import { parseEnv } from "node:util";
import { start } from "../support/program.ts";
import type { Service } from "./deployment_files.ts";
import type { Image } from "./image.ts";
import { killed } from "./workspace.ts";

/**
 * What a container has besides its image and its service: the folder that compose.yaml lies in, files of the host where it
 * sees them, and changed variables.
 */
export interface Surroundings {
  readonly folder: string;
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/** What bubblewrap leaves no container anyhow, so that a service which keeps it would be run otherwise than it asks. */
const givenUp = { cap_drop: "ALL", security_opt: "no-new-privileges:true" };

/** Keys that the command line below carries out, or that are the engine's before, beside and after the run. */
const known = [
  ...Object.keys(givenUp),
  ...["read_only", "env_file", "environment", "volumes", "secrets"],
  ...["build", "image", "depends_on", "ports", "restart", "stop_grace_period"],
];

/** Command line that runs `command` in a container of `image`. */
export function contained(
  { root, env, user, directory, volumes }: Image,
  service: Service,
  surroundings: Surroundings,
  command: readonly string[],
): string[] {
  const [uid, gid] = user.split(":");
  for (const key of Object.keys(service)) if (!known.includes(key)) refuse(`the key ${key}`);
  for (const [key, value] of Object.entries(givenUp)) {
    if (String(service[key]) !== value) refuse(`${key}: ${service[key]}`);
  }
  for (const volume of service.volumes ?? []) {
    if (!volumes.includes(volume.split(":")[1])) refuse(`the volume ${volume}`);
  }
  const variables = {
    ...env,
    ...fromFiles(service, surroundings.folder),
    ...service.environment,
    ...surroundings.env,
  };
  return [
    ...["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"],
    ...["bwrap", "--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts", "--die-with-parent"],
    ...[service.read_only === true ? "--ro-bind" : "--bind", root, "/", "--chdir", directory],
    ...["--proc", "/proc", "--dev", "/dev"],
    ...volumes.flatMap((volume) => ["--bind", root + volume, volume]),
    ...Object.entries(surroundings.files).flatMap(([there, here]) => ["--ro-bind", here, there]),
    ...["--cap-drop", "ALL"],
    ...["--clearenv", ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value])],
    ...["--", ...command],
  ];
}

/** What the files of `env_file` set; a later one wins. */
function fromFiles({ env_file: files = [] }: Service, folder: string): Record<string, string> {
  return Object.assign({}, ...files.map((file) => parseEnv(Deno.readTextFileSync(`${folder}/${file}`))));
}

/** A running container. */
export interface Container {
  /** The process id of its program, as the host sees it. */
  readonly pid: number;
  /** As engines do: SIGTERM to the program, which is the first process, and SIGKILL when its time is over. */
  stop(graceMs: number): Promise<Deno.CommandStatus>;
  /** Ends it at once, unless it has ended. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a container of `image` with its own entry point and command, and waits until it has said something. */
export async function startContainer(
  image: Image,
  service: Service,
  surroundings: Surroundings,
): Promise<Container> {
  const [first, ...rest] = contained(image, service, surroundings, [...image.entrypoint, ...image.command]);
  const program = start([first], rest);
  await program.line();
  const pid = Number(await Deno.readTextFile(`/proc/${program.pid}/task/${program.pid}/children`));
  return {
    pid,
    async stop(graceMs) {
      Deno.kill(pid, "SIGTERM");
      const timer = setTimeout(() => program.kill("SIGKILL"), graceMs);
      const status = await program.status;
      clearTimeout(timer);
      return status;
    },
    [Symbol.asyncDispose]: () => killed(program),
  };
}

/** Makes the empty files and folders that files of the host are seen in place of. */
export async function makePlaces({ root }: Image, { files }: Surroundings): Promise<void> {
  for (const there of Object.keys(files)) {
    await Deno.mkdir(root + there.slice(0, there.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(root + there, "");
  }
}

function refuse(what: string): never {
  throw new Error(`compose.yaml asks for ${what}, which is not carried out here`);
}
