/**
 * Tests the compiled relayer on each store: deposits, withdrawals, and kills of both sides. It runs as nobody
 * in an empty working directory, on a file system where it can write only to its home.
 */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { type Localnet, startLocalnet } from "../../src/localnet/localnet.ts";
import { connect } from "../../src/mod.ts";
import { freePort } from "../../testkit/programs/program.ts";
import { startRedis } from "../../testkit/servers/local_servers.ts";
import { freshDatabase, postgresServer } from "../../testkit/servers/services.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { canConfine, confined, hasBinary, output } from "./binary.ts";
import {
  deposit,
  depositor,
  disposable,
  killed,
  openWorkspace,
  ready,
  relayerSettings,
  startConfined,
  type Workspace,
} from "./workspace.ts";

const ignore = !await hasBinary() || !await canConfine();
const workspace: Workspace = ignore ? undefined! : await openWorkspace();
/** A separate server, because a cap applies to the wallet, and every local network has the same wallet. */
const redis = ignore ? undefined : await startRedis();

Deno.test({
  name: "compiled: a confined program can write only to its home",
  ignore,
  async fn() {
    const { directory, home } = workspace;
    const open = `${directory}/open`;
    await Deno.writeTextFile(open, "");
    await Deno.chmod(open, 0o666);
    const { code, stderr } = await output(confined(home, ["touch", open]));
    assert.deepEqual([code, /Read-only file system/.test(stderr)], [1, true]);
    assert.equal((await output(confined(home, ["touch", `${home}/may`]))).code, 0);
    const { stdout } = await output(confined(home, ["id", "-u"]));
    assert.equal(
      stdout === "0\n",
      Deno.uid() !== 0,
      "who is not root is shown as root in a space of its own",
    );
  },
});

Deno.test({
  name: "compiled, confined: serve on KV, deposit, withdraw, both ends killed on the way and started again",
  ignore,
  async fn() {
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 500 }));
    await killedOnTheWay(localnet, {}, async (url) => {
      const live = await output([workspace.binary, "status", "--live"], { RELAYER_PORT: new URL(url).port });
      assert.deepEqual([live.code, live.stdout], [0, `${url} lives\n`]);
      const script = await fetch(`${url}/docs/swagger-ui.js`);
      assert.ok(
        script.ok && (await script.text()).includes("SwaggerUIBundle"),
        "the page of /docs is embedded",
      );
    });
  },
});

Deno.test({
  name: "compiled, confined: the same on PostgreSQL and Redis; the hour's cap outlives the process",
  ignore: ignore || redis === undefined || !await postgresServer(),
  async fn() {
    await using database = await freshDatabase();
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 500 }));
    const env = { DATABASE_URL: database.url };
    const store = async (command: string) =>
      JSON.parse((await output([workspace.binary, "store", command, "--json"], env)).stdout);
    const migrated = await store("migrate");
    assert.deepEqual([migrated.found, migrated.now > 0], [0, true]);
    const settings = {
      ...env,
      CACHE_URL: redis!,
      RELAYER_HOURLY_CAP: "1",
      RELAYER_RATE_WITHDRAW: "100",
    };
    await killedOnTheWay(localnet, settings, async (url, another) => {
      const { dependencies } = await (await fetch(`${url}/readyz`)).json();
      assert.deepEqual([dependencies.store.state, dependencies.cache.state], ["ok", "ok"]);
      const refused = await another();
      assert.match(refused.stderr, /Hourly cap is reached/);
    });
    assert.equal((await store("check")).sound, true);
  },
});

Deno.test({ name: "compiled: the files that serve wrote are removed", ignore, fn: () => workspace.remove() });

/**
 * Deposits a note and withdraws it through a relayer that is killed, like the depositor's program, when the
 * withdrawal has been accepted. Both are started again, and the recipient must be paid once.
 *
 * @param settings additional settings of the relayer
 * @param whenPaid checks the restarted relayer; its second argument deposits and withdraws another note
 */
async function killedOnTheWay(
  localnet: Localnet,
  settings: Record<string, string>,
  whenPaid: (url: string, another: () => ReturnType<typeof output>) => Promise<void>,
): Promise<void> {
  const { binary, home } = workspace;
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...await relayerSettings(workspace, localnet, port), ...settings };
  const owner = await depositor(workspace, localnet);
  const recipient = Address.parse(`0:${"5a".repeat(32)}`);
  const withdrawal = (id: string) => {
    const flags = ["--to", recipient.toString(), "--relayer", url, "--yes", "--json"];
    return ["withdraw", id, ...owner.at, ...flags];
  };
  const served = async (count: number) => {
    const id = await deposit(workspace, owner);
    await waitUntil("the deposit is served", async () => await leaves(url, localnet) === count);
    return id;
  };
  const serve = () => startConfined(workspace, ["serve"], env);
  let relayer = serve();
  try {
    assert.equal(JSON.parse(await relayer.nextLine()).url, url);
    const id = await served(1);
    const withdrawing = startConfined(workspace, withdrawal(id), owner.env);
    while (JSON.parse(await withdrawing.nextLine()).event !== "status");
    await Promise.all([killed(relayer), killed(withdrawing)]);
    relayer = serve();
    await waitUntil("the restarted relayer is ready", () => ready(url));
    const resumed = await output(confined(home, [binary, ...withdrawal(id)]), owner.env);
    assert.equal(resumed.code, 0, resumed.stderr);
    const { balance } = await connect({ endpoint: localnet.url }).account(recipient);
    assert.equal(balance, 950_000_000n);
    await whenPaid(
      url,
      async () => output(confined(home, [binary, ...withdrawal(await served(2))]), owner.env),
    );
    assert.equal((await relayer.stop()).code, 0, "SIGTERM ends it in good order");
  } finally {
    await killed(relayer);
  }
  const dead = await output([binary, "status", "--live", url]);
  assert.deepEqual([dead.code, dead.stderr.includes("relayer_unavailable")], [3, true]);
}

async function leaves(url: string, { deployments }: Localnet): Promise<number> {
  const pool = deployments.pools.get("native-1")!.address.toString();
  const answer = await fetch(`${url}/tree/commitments?pool=${pool}`);
  return (await answer.json()).count ?? 0;
}
