/**
 * Applies the unit's system call filter with strace: calls that the unit refuses fail with its error, and calls that
 * it limits by argument are recorded. systemd is only queried for the contents of its sets.
 */
import { output } from "./binary.ts";

/**
 * Calls whose arguments other directives limit (systemd.exec(5)): RestrictAddressFamilies, RestrictNamespaces,
 * RestrictRealtime, RestrictSUIDSGID, LockPersonality, and ProtectSystem for files opened for writing.
 */
export const WATCHED = [
  ...["socket", "socketpair", "clone", "unshare", "setns", "personality"],
  ...["sched_setscheduler", "sched_setattr", "sched_setparam"],
  ...["chmod", "fchmod", "fchmodat", "mkdir", "mkdirat", "mknod", "mknodat", "creat", "open", "openat"],
] as const;

/**
 * Calls whose arguments a filter cannot read. systemd refuses them, and the C library falls back to others
 * (systemd.exec(5)).
 */
const UNSEEN = ["clone3", "openat2"];

/**
 * Returns the calls that a unit allows.
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

/**
 * Returns strace's flags: all calls but `allowed` fail with `error`, and those and the watched ones are written to
 * `file`.
 */
export function straceFlags(allowed: ReadonlySet<string>, error: string, file: string): string[] {
  // systemd also lists calls of other processors. "?" makes strace ignore unknown names.
  const others = (calls: readonly string[]) => "!" + calls.map((call) => `?${call}`).join(",");
  const untouched = [...allowed].filter((call) => !(WATCHED as readonly string[]).includes(call));
  return [
    ...["-f", "-qq", "--seccomp-bpf", "--signal=none", "-o", file],
    ...["-e", `trace=${others(untouched.filter((call) => !UNSEEN.includes(call)))}`],
    ...["-e", `inject=${others([...allowed])}:error=${error}`],
    ...["-e", `inject=${UNSEEN.join(",")}:error=ENOSYS`],
  ];
}

/** A call in strace's output. */
export interface Call {
  readonly name: string;
  readonly args: string;
  readonly result: string;
}

/** Parses a trace. An interrupted call has two lines, which are joined. */
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
