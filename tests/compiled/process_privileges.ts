import { deepEqual, match } from "node:assert/strict";

/**
 * Asserts that a process has this user and group, no other group, no capability, and no way to gain one,
 * according to the kernel.
 */
export async function assertUnprivileged(pid: number, user: number): Promise<void> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  for (const kind of ["Uid", "Gid"]) {
    match(status, new RegExp(`^${kind}:\\t${user}\\t${user}\\t${user}\\t${user}$`, "m"));
  }
  match(status, /^Groups:\t *$/m);
  match(status, /^NoNewPrivs:\t1$/m);
  const sets = [...status.matchAll(/^Cap(\w+):\t(\w+)$/gm)].map((
    [, name, set],
  ) => [name, Number(`0x${set}`)]);
  deepEqual(sets, ["Inh", "Prm", "Eff", "Bnd", "Amb"].map((name) => [name, 0]));
}
