/**
 * The unit's filter of system calls, carried out by strace: what the unit refuses fails with the error that it names, and
 * what it bounds by argument is written down. systemd itself is only asked what its sets hold.
 */
import { output } from "./binary.ts";

/**
 * Of these the unit's other directives look at arguments (systemd.exec(5)): RestrictAddressFamilies, RestrictNamespaces,
 * RestrictRealtime, RestrictSUIDSGID, LockPersonality; and ProtectSystem at what is opened for writing.
 */
export const WATCHED = [
  ...["socket", "socketpair", "clone", "unshare", "setns", "personality"],
  ...["sched_setscheduler", "sched_setattr", "sched_setparam"],
  ...["chmod", "fchmod", "fchmodat", "mkdir", "mkdirat", "mknod", "mknodat", "creat", "open", "openat"],
] as const;

/** Whose arguments no filter can see: systemd lets the C library fall back to what it can (systemd.exec(5)). */
const UNSEEN = ["clone3", "openat2"];

/**
 * The calls that a unit lets through.
 *
 * @param filters values of SystemCallFilter=, of which the first lists what is allowed
 */
export async function allowedCalls(filters: readonly string[]): Promise<Set<string>> {
  const sets = await systemdSets();
  const expand = (name: string): string[] => name.startsWith("@") ? sets.get(name)!.flatMap(expand) : [name];
  if (filters[0].startsWith("~")) throw new Error("the first filter lists what is refused");
  const allowed = new Set(expand("@default"));
  for (const filter of filters) {
    const refuses = filter.startsWith("~");
    for (const call of filter.replace("~", "").split(" ").flatMap(expand)) {
      if (refuses) allowed.delete(call);
      else allowed.add(call);
    }
  }
  return allowed;
}

/** strace's flags: everything but `allowed` fails with `error`, and that and what is watched is written to `file`. */
export function straceFlags(allowed: ReadonlySet<string>, error: string, file: string): string[] {
  // strace knows fewer names than systemd, which knows those of other processors: "?" passes over them.
  const others = (calls: readonly string[]) => "!" + calls.map((call) => `?${call}`).join(",");
  const untouched = [...allowed].filter((call) => !(WATCHED as readonly string[]).includes(call));
  return [
    ...["-f", "-qq", "--seccomp-bpf", "--signal=none", "-o", file],
    ...["-e", `trace=${others(untouched.filter((call) => !UNSEEN.includes(call)))}`],
    ...["-e", `inject=${others([...allowed])}:error=${error}`],
    ...["-e", `inject=${UNSEEN.join(",")}:error=ENOSYS`],
  ];
}

/** A call as strace wrote it down. */
export interface Call {
  readonly name: string;
  readonly args: string;
  readonly result: string;
}

/** The calls of a trace. One that was interrupted by other threads' stands in two lines, which are put together. */
export function readTrace(text: string): Call[] {
  const begun = new Map<string, string>();
  const calls: Call[] = [];
  for (const [, thread, line] of text.matchAll(/^(\d+) +(.*)$/gm)) {
    if (line.endsWith(" <unfinished ...>")) begun.set(thread, line.slice(0, -" <unfinished ...>".length));
    const whole = line.replace(/^<\.\.\. \w+ resumed>/, () => begun.get(thread) ?? "");
    const [, name, args, result] = /^(\w+)\((.*)\) += (.*)$/.exec(whole) ?? [];
    if (name !== undefined) calls.push({ name, args, result });
  }
  return calls;
}

async function systemdSets(): Promise<Map<string, string[]>> {
  const { stdout } = await output(["systemd-analyze", "syscall-filter", "--no-pager"]);
  const sets = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of stdout.split("\n")) {
    if (line.startsWith("@")) sets.set(line.trim(), current = []);
    else if (/^ +[@\w]/.test(line)) current.push(line.trim());
  }
  return sets;
}
