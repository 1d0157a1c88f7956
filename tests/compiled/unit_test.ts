/**
 * Tests the systemd unit without systemd: command, environment and limits from its file, its sandbox as far as
 * namespaces provide it, and its system call filter with strace. The lists below assign each directive to its test.
 * Skipped without root or strace.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { startLocalnet } from "../../src/localnet/localnet.ts";
import { freePort } from "../../testkit/programs/program.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { hasBinary, output } from "./binary.ts";
import { unitDirectives } from "./deployment_files.ts";
import { allowedCalls, type Call, readTrace, straceFlags } from "./syscalls.ts";
import { assertUnprivileged } from "./process_privileges.ts";
import { canSandbox, carriedOut, startUnit, UNIT_USER } from "./unit_sandbox.ts";
import {
  deposit,
  depositor,
  disposable,
  killed,
  openWorkspace,
  ready,
  relayerSettings,
} from "./workspace.ts";
import { omit } from "../../src/core/omit.ts";

const ignore = !await hasBinary() || !await canSandbox();
const directives = await unitDirectives();

/** Directives that strace enforces, or that its trace is compared with. */
const traced = [
  ...["SystemCallFilter", "SystemCallErrorNumber", "RestrictAddressFamilies"],
  ...["RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID", "LockPersonality"],
];
/** Directives whose restrictions other directives imply. They have no test of their own. */
const implied = [
  "PrivateUsers",
  "ProtectClock",
  "ProtectKernelLogs",
  "ProtectKernelModules",
  "SystemCallArchitectures",
];
/** Limits that are higher than the user of the tests may set. */
const raised = ["LimitNOFILE"];
/**
 * Directives that apply after the program has ended. A test covers its exit status 2 for an invalid
 * configuration.
 */
const afterwards = ["Restart", "RestartSec", "RestartPreventExitStatus", "TimeoutStopSec", "RemoveIPC"];

Deno.test("unit: each directive is tested here or listed as untested", () => {
  const known = [...Object.keys(carriedOut), ...traced, ...implied, ...raised, ...afterwards];
  deepEqual([...directives.keys()].sort(), known.sort());
  for (const [name, value] of Object.entries(carriedOut)) deepEqual(directives.get(name), [value], name);
  equal(directives.get("RestartPreventExitStatus")![0], "2");
});

Deno.test({
  name: "unit: calls that its filter refuses fail, and are recorded",
  ignore,
  async fn() {
    const file = await Deno.makeTempFile({ prefix: "tonado-trace-" });
    try {
      const flags = straceFlags(await allowedCalls(directives.get("SystemCallFilter")!), "EPERM", file);
      const { code, stderr } = await output(["strace", ...flags, "chroot", "/", "true"]);
      equal(code, 125, stderr);
      const refused = refusals(readTrace(await Deno.readTextFile(file)));
      deepEqual(refused.map(({ name }) => name), ["chroot"]);
    } finally {
      await Deno.remove(file);
    }
  },
});

Deno.test({
  name: "unit: serves and pays a withdrawal in its sandbox without a refused call, and SIGTERM ends it",
  ignore,
  async fn() {
    const workspace = await openWorkspace();
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 500 }));
    const port = freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = omit(
      await relayerSettings(workspace, localnet, port),
      "RELAYER_DATA_DIR",
      "RELAYER_WALLET_MNEMONIC_FILE",
    );
    const registry = await Deno.readTextFile(settings.RELAYER_DEPLOYMENTS);
    const unit = await startUnit(`${workspace.directory}/unit`, {
      binary: workspace.binary,
      mnemonic: localnet.relayer.mnemonic,
      settings: { ...settings, RELAYER_DEPLOYMENTS: "/var/lib/tonado/localnet.json" },
      state: { "localnet.json": registry },
    });
    try {
      await waitUntil("it is ready", () => ready(url));
      await assertUnprivileged(await unit.pid(), UNIT_USER);
      const owner = await depositor(workspace, localnet);
      const id = await deposit(workspace, owner);
      const to = `0:${"5a".repeat(32)}`;
      const flags = ["--to", to, "--relayer", url, "--yes", "--json"];
      const { code, stderr } = await output(
        [workspace.binary, "withdraw", id, ...owner.at, ...flags],
        owner.env,
      );
      equal(code, 0, stderr);
      const { code: end, signal } = await unit.stop();
      deepEqual([end, signal], [0, null]);
      holds(await unit.trace());
    } finally {
      await killed(unit.program);
      await workspace.remove();
    }
  },
});

/** Compares the recorded calls with the unit. */
function holds(calls: readonly Call[]): void {
  deepEqual(refusals(calls), []);
  const named = (...names: string[]) => calls.filter(({ name }) => names.includes(name));
  const families = new Set(named("socket", "socketpair").map(({ args }) => args.split(",")[0]));
  const allowed = directives.get("RestrictAddressFamilies")![0].split(" ");
  ok(families.size > 0);
  deepEqual([...families].filter((family) => !allowed.includes(family)), []);
  ok(named("clone").length > 0);
  deepEqual(calls.filter(({ args }) => /CLONE_NEW|SCHED_(FIFO|RR|DEADLINE)|S_IS[UG]ID/.test(args)), []);
  deepEqual(named("unshare", "setns", "personality", "mknod", "mknodat"), []);
  const written = named("open", "openat", "creat").filter(({ args, result }) =>
    /O_(WRONLY|RDWR|CREAT)/.test(args) && !result.startsWith("-1")
  );
  ok(written.length > 0);
  for (const { args } of written) match(args, /"\/var\/lib\/tonado\//);
}

/** Returns the calls that the filter refused, except those that every filter refuses. */
function refusals(calls: readonly Call[]): Call[] {
  return calls.filter(({ result }) => /EPERM.*INJECTED/.test(result));
}
