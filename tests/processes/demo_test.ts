/** The demonstration with a jetton pool, and with a version 2 pool. */
import assert from "node:assert/strict";
import { sourceCommand } from "../../testkit/programs/program.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";
import { useTrapdoorKeys } from "../../testkit/localnet/use_trapdoor_keys.ts";

const program = sourceCommand();
await useTrapdoorKeys();
/** With test keys. */
const testProgram = sourceCommand();

Deno.test("demo --asset jetton --json: the same steps with jettons, the fee in jettons, the refund in coins", async () => {
  const { code, stdout, stderr } = await tonado(["demo", "--asset", "jetton", "--json"], testProgram);
  assert.equal(code, 0, stderr);
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const of = (name: string) => events.filter(({ event }) => event === name);
  const [{ asset, decimals, denomination }] = of("started");
  assert.deepEqual([asset, decimals, denomination], ["jet", 6, "10000000"]);
  assert.deepEqual(of("deposited").map(({ leafIndex }) => leafIndex), [0, 1, 2]);
  const changes = (name: string) =>
    Object.fromEntries(
      (of(name)[0].accounts as { account: string; before: string; after: string }[])
        .map(({ account, before, after }) => [account, BigInt(after) - BigInt(before)]),
    );
  assert.deepEqual(changes("balances"), { recipient: 9_950_000n, relayer: 50_000n, pool: -10_000_000n });
  const coins = changes("native_balances");
  assert.equal(coins.recipient, 100_000_000n);
  assert.ok(coins.relayer < -100_000_000n && coins.relayer > -200_000_000n, String(coins.relayer));
  assert.ok(coins.pool >= 0n, "a jetton pool loses no coins");
  assert.deepEqual(of("double_spend_refused").map(({ by }) => by), ["relayer", "pool"]);
  assert.equal(events[events.length - 1].event, "finished");
});

Deno.test("demo --pool native-10-v2 --json: paid by comments, settled, two withdrawn in one message, no double spend", async () => {
  const { code, stdout, stderr } = await tonado(["demo", "--pool", "native-10-v2", "--json"]);
  assert.equal(code, 0, stderr);
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const of = (name: string) => events.filter(({ event }) => event === name);
  for (const [i, { leafIndex, commitment, comment }] of of("deposited").entries()) {
    assert.equal(leafIndex, i);
    assert.match(comment, new RegExp(`^tonado:${commitment.slice(2)}[0-9a-f]{8}$`));
  }
  assert.equal(of("deposited").length, 3);
  assert.deepEqual(of("settled").map(({ leaves }) => leaves), [3]);
  assert.equal(of("proved").length, 2);
  assert.equal(of("confirmed").length, 1);
  const [recipient, relayer, pool] = (of("balances")[0].accounts as { before: string; after: string }[])
    .map(({ before, after }) => BigInt(after) - BigInt(before));
  assert.equal(recipient, 19_800_000_000n);
  assert.ok(relayer > 100_000_000n && relayer < 200_000_000n, String(relayer));
  assert.ok(pool > -20_000_000_000n, "the pool keeps its share");
  assert.deepEqual(of("double_spend_refused").map(({ by, reason }) => [by, reason]), [[
    "pool",
    "ERR_ALREADY_SPENT",
  ]]);
  assert.equal(events[events.length - 1].event, "finished");
});

Deno.test("demo --pool jet-10-v2 --json: paid by transfers of jettons, two withdrawn in one message, to the unit", async () => {
  const { code, stdout, stderr } = await tonado(["demo", "--pool", "jet-10-v2", "--json"], testProgram);
  assert.equal(code, 0, stderr);
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const of = (name: string) => events.filter(({ event }) => event === name);
  assert.deepEqual(of("deposited").map(({ comment }) => comment), [undefined, undefined, undefined]);
  const changes = (of("balances")[0].accounts as { before: string; after: string }[])
    .map(({ before, after }) => BigInt(after) - BigInt(before));
  assert.deepEqual(changes, [19_800_000n, 200_000n, -20_000_000n]);
  assert.deepEqual(of("double_spend_refused").map(({ reason }) => reason), ["ERR_ALREADY_SPENT"]);
});

Deno.test("demo --pool and --asset exclude each other", async () => {
  const { code, stderr } = await tonado(["demo", "--pool", "native-10-v2", "--asset", "jetton"]);
  assert.equal(code, 2);
  assert.match(stderr, /cannot be used with option '--asset/);
});

async function tonado(args: readonly string[], [command, ...prefix] = program) {
  const kept = ["PATH", "HOME", "DENO_DIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const { code, stdout, stderr } = await childCommand(command, {
    args: [...prefix, ...args],
    clearEnv: true,
    env: Object.fromEntries(kept),
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
