/** The demonstration with a jetton. */
import assert from "node:assert/strict";
import { sourceCommand } from "../../testkit/programs/program.ts";

Deno.test("demo --asset jetton --json: the same way in jettons, the fee in jettons, the refund in coins", async () => {
  const { code, stdout, stderr } = await tonado(["demo", "--asset", "jetton", "--json"]);
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

async function tonado(args: readonly string[], env: Record<string, string> = {}) {
  const kept = ["PATH", "HOME", "DENO_DIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const { code, stdout, stderr } = await new Deno.Command(sourceCommand[0], {
    args: [...sourceCommand.slice(1), ...args],
    clearEnv: true,
    env: { ...Object.fromEntries(kept), ...env },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
