/**
 * Runs an image as Compose does, in namespaces that bubblewrap creates. Its file system is read-only except
 * for its volume; its program is the first process and runs as the image's user without capabilities. Unknown
 * keys of the service cause an error.
 */
import { parseEnv } from "node:util";
import { startProgram } from "../../testkit/programs/program.ts";
import type { Service } from "./deployment_files.ts";
import type { Image } from "./image.ts";
import { killed } from "./workspace.ts";

/**
 * The surroundings of a container beside its image and service: the folder of compose.yaml, mounted files of
 * the host, and changed variables.
 */
export interface Surroundings {
  readonly folder: string;
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/** Settings that bubblewrap always enforces. A service without them would run differently. */
const givenUp = { cap_drop: "ALL", security_opt: "no-new-privileges:true" };

/**
 * Keys that the command line below implements, or that concern the engine before, during and after the run.
 */
const known = [
  ...Object.keys(givenUp),
  ...["read_only", "env_file", "environment", "volumes", "secrets"],
  ...["build", "image", "depends_on", "ports", "restart", "stop_grace_period"],
];

/** Returns the command line that runs `command` in a container of `image`. */
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

/** Returns the variables of the files in `env_file`. A later file wins. */
function fromFiles({ env_file: files = [] }: Service, folder: string): Record<string, string> {
  return Object.assign({}, ...files.map((file) => parseEnv(Deno.readTextFileSync(`${folder}/${file}`))));
}

/** A running container. */
export interface Container {
  /** The process id of its program on the host. */
  readonly pid: number;
  /** Sends SIGTERM to the program, which is the first process, and SIGKILL after `graceMs`, as engines do. */
  stop(graceMs: number): Promise<Deno.CommandStatus>;
  /** Kills it unless it has ended. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a container of `image` with its entry point and command, and waits for its first output. */
export async function startContainer(
  image: Image,
  service: Service,
  surroundings: Surroundings,
): Promise<Container> {
  const [first, ...rest] = contained(image, service, surroundings, [...image.entrypoint, ...image.command]);
  const program = startProgram([first], rest);
  await program.nextLine();
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

/** Creates the empty files and folders that the host's files are mounted on. */
export async function makePlaces({ root }: Image, { files }: Surroundings): Promise<void> {
  for (const there of Object.keys(files)) {
    await Deno.mkdir(root + there.slice(0, there.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(root + there, "");
  }
}

function refuse(what: string): never {
  throw new Error(`compose.yaml asks for ${what}, which is not carried out here`);
}
