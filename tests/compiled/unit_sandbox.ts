/**
 * Runs the systemd unit's command without systemd: in namespaces with the file system that the unit's
 * directives leave, as a user of its own without capabilities, under strace, which refuses and records system
 * calls as the unit requires. Needs Linux and root.
 */
import { type Program, startProgram } from "../../testkit/programs/program.ts";
import { unitDirectives } from "./deployment_files.ts";
import { output } from "./binary.ts";
import { allowedCalls, type Call, readTrace, straceFlags } from "./syscalls.ts";

/** A user of the range that systemd uses for DynamicUser=. */
export const UNIT_USER = 61_184;
const CREDENTIALS = "/run/credentials/tonado.service";
const STATE = "/var/lib";
const TRACE = `${STATE}/trace`;

/** The directives that are applied here, with the only supported value. */
export const carriedOut: Readonly<Record<string, string>> = {
  ExecStart: "/usr/local/bin/tonado serve",
  EnvironmentFile: "-/etc/tonado/relayer.env",
  LoadCredential: "mnemonic:/etc/tonado/mnemonic",
  Environment: "RELAYER_WALLET_MNEMONIC_FILE=%d/mnemonic RELAYER_DATA_DIR=%S/tonado",
  DynamicUser: "yes",
  StateDirectory: "tonado",
  StateDirectoryMode: "0700",
  UMask: "0077",
  CapabilityBoundingSet: "",
  AmbientCapabilities: "",
  NoNewPrivileges: "yes",
  ProtectSystem: "strict",
  ProtectHome: "yes",
  PrivateTmp: "yes",
  PrivateDevices: "yes",
  ProtectHostname: "yes",
  ProtectKernelTunables: "yes",
  ProtectControlGroups: "yes",
  ProtectProc: "invisible",
  ProcSubset: "pid",
};

/** $1 is a folder with dev/, state/, trace/, mnemonic and tonado; the other arguments are the command. */
const SANDBOX = `
from=$1; shift
mount --bind "$from/dev" "$from/dev"
for name in null zero full random urandom tty; do mount --bind "/dev/$name" "$from/dev/$name"; done
mount -t tmpfs tmpfs ${STATE}
mkdir ${STATE}/tonado ${TRACE}
mount --bind "$from/state" ${STATE}/tonado
mount --bind "$from/trace" ${TRACE}
mount -o remount,ro ${STATE}
mount -t tmpfs tmpfs /run
mkdir -p ${CREDENTIALS}
install -m 400 -o ${UNIT_USER} "$from/mnemonic" ${CREDENTIALS}/mnemonic
mount -o remount,ro /run
mount -t tmpfs tmpfs /usr/local/bin
touch /usr/local/bin/tonado
mount --bind "$from/tonado" /usr/local/bin/tonado
mount -o remount,ro /usr/local/bin
mount --rbind "$from/dev" /dev
mount -o remount,bind,ro /dev
for home in /home /root; do mount -t tmpfs -o ro,mode=000 tmpfs $home; done
for tmp in /tmp /var/tmp; do mount -t tmpfs -o mode=1777 tmpfs $tmp; done
mount -o remount,bind,ro /sys
mount -o remount,bind,ro /
mount -t proc -o subset=pid,hidepid=invisible proc /proc
umask 0077
cd /
exec "$@"
`;

/** The files that an operator installs. */
export interface UnitInput {
  /** Path of the program. */
  readonly binary: string;
  readonly mnemonic: string;
  /** The contents of /etc/tonado/relayer.env. */
  readonly settings: Readonly<Record<string, string>>;
  /** Files in the state directory, by name. */
  readonly state: Readonly<Record<string, string>>;
}

/** The running program of the unit. */
export interface Unit {
  /** Sends SIGTERM to the program itself, as systemd does. */
  stop(): Promise<Deno.CommandStatus>;
  /** Returns its refused and watched system calls. */
  trace(): Promise<Call[]>;
  readonly program: Program;
  /** Returns the process id of ExecStart's program on the host. */
  pid(): Promise<number>;
}

/** Returns whether this system has the required programs and allows the sandbox. */
export async function canSandbox(): Promise<boolean> {
  try {
    const tools = [["strace", "-qq", "-o", "/dev/null", "true"], ["systemd-analyze", "--version"]];
    for (const tool of tools) if ((await output(tool)).code !== 0) return false;
    const probe = "mount -t proc -o subset=pid proc /proc && test ! -e /proc/meminfo";
    return Deno.uid() === 0 && (await output([...SPACE, "sh", "-c", probe])).code === 0;
  } catch {
    return false;
  }
}

const SPACE = ["unshare", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child"];

/**
 * Starts the unit and waits for its first output.
 *
 * @param folder a new folder that every user may enter
 */
export async function startUnit(
  folder: string,
  given: UnitInput,
): Promise<Unit> {
  await layOut(folder, given);
  const directives = await unitDirectives();
  const [command, ...rest] = [
    ...[...SPACE, "sh", "-ec", SANDBOX, "sh", folder],
    ...["setpriv", `--reuid=${UNIT_USER}`, `--regid=${UNIT_USER}`, "--clear-groups", "--no-new-privs"],
    ...["--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"],
    "strace",
    ...straceFlags(
      await allowedCalls(directives.get("SystemCallFilter")!),
      directives.get("SystemCallErrorNumber")![0],
      `${TRACE}/calls`,
    ),
    ...["env", "-i", ...environment(directives, given.settings)],
    ...directives.get("ExecStart")![0].split(" "),
  ];
  const program = startProgram([command], rest);
  await program.nextLine();
  const pid = async () => await onlyChild(await onlyChild(program.pid)); // the tracer's child
  return {
    program,
    pid,
    async stop() {
      Deno.kill(await pid(), "SIGTERM");
      return await program.status;
    },
    trace: async () => readTrace(await Deno.readTextFile(`${folder}/trace/calls`)),
  };
}

async function layOut(folder: string, { binary, mnemonic, state }: UnitInput): Promise<void> {
  for (const name of ["dev", "state", "trace"]) await Deno.mkdir(`${folder}/${name}`, { recursive: true });
  for (const name of ["null", "zero", "full", "random", "urandom", "tty"]) {
    await Deno.writeTextFile(`${folder}/dev/${name}`, "");
  }
  for (const [name, content] of Object.entries(state)) {
    await Deno.writeTextFile(`${folder}/state/${name}`, content);
  }
  await Deno.chmod(`${folder}/state`, 0o700);
  for (const name of ["state", "trace"]) await Deno.chown(`${folder}/${name}`, UNIT_USER, UNIT_USER);
  await Deno.copyFile(binary, `${folder}/tonado`);
  await Deno.chmod(`${folder}/tonado`, 0o755); // docs/operating.md installs it with this mode
  await Deno.writeTextFile(`${folder}/mnemonic`, mnemonic, { mode: 0o400 });
}

/** Returns the environment that systemd sets: the unit's, overridden by the file's. */
function environment(directives: Map<string, string[]>, settings: UnitInput["settings"]): string[] {
  const own = directives.get("Environment")!.flatMap((line) => line.split(" "))
    .map((pair) => pair.replace("%d", CREDENTIALS).replace("%S", STATE));
  const usual = [
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
    "HOME=/",
    "USER=tonado",
    "LOGNAME=tonado",
  ];
  const places = [`CREDENTIALS_DIRECTORY=${CREDENTIALS}`, `STATE_DIRECTORY=${STATE}/tonado`];
  return [
    ...usual,
    ...places,
    ...own,
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  ];
}

async function onlyChild(pid: number): Promise<number> {
  const children = (await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`)).trim().split(" ");
  if (children.length !== 1) throw new Error(`process ${pid} has not one child, but: ${children}`);
  return Number(children[0]);
}
