/** What comes in floods: equal withdrawals at once, and proofs that do not hold. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { HourlyCaps } from "../../src/relay/hourly_caps.ts";
import { memoryShared } from "../../src/store/memory/memory_shared.ts";
import { Harness } from "./relayer_harness.ts";

const KEY = "native-1";
const recipient = Address.parse(`0:${"42".repeat(32)}`);

Deno.test("floods of withdrawals", async (t) => {
  await using net = await Harness.start({ relayer: false });
  // Room for exactly the two honest withdrawals of this test.
  await net.startRelayer({ caps: new HourlyCaps(memoryShared(), { hourly: 2, hourlyPerPool: 2 }) });
  const [first, second, third] = [await net.deposit(KEY), await net.deposit(KEY), await net.deposit(KEY)];
  await net.untilIndexed(KEY);
  const bodyOf = (note: typeof first) => net.withdrawal(KEY, note, { recipient });
  const [one, two, three] = [await bodyOf(first), await bodyOf(second), await bodyOf(third)];

  await t.step("of 200 equal ones at once one is accepted, and 199 hear 409 with its state", async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => net.post("/withdraw", one)));
    const statuses = answers.map(({ status }) => status);
    equal(statuses.filter((status) => status === 200 || status === 202).length, 1, String(statuses));
    const refused = answers.filter(({ status }) => status === 409);
    equal(refused.length, 199, String(statuses));
    for (const { body } of refused) {
      equal(body.code, "nullifier_already_used");
      ok(["accepted", "broadcast", "confirmed"].includes(body.withdrawal.state), JSON.stringify(body));
    }
  });

  await t.step(
    "garbage proofs leave no row, use up no cap, and fill the verifier's queue at most",
    async () => {
      const { pi_a, pi_c } = two.proof;
      const garbage = Array.from({ length: 200 }, (_, i) => ({
        ...two,
        proof: { ...two.proof, pi_a: pi_c, pi_c: pi_a },
        publicSignals: two.publicSignals.with(1, String(1_000 + i)),
      }));
      const before = await net.store.liveJobs();
      const answers = await Promise.all(garbage.map((body) => net.post("/withdraw", body)));
      const codes = new Set(answers.map(({ body }) => body.code));
      deepEqual([...codes].sort(), ["proof_invalid", "verification_busy"]);
      for (const { status, headers } of answers) {
        if (status === 503) equal(headers.get("retry-after"), "1");
        else equal(status, 422);
      }
      ok((await net.store.liveJobs()).length <= before.length);
      for (const { publicSignals } of garbage.slice(0, 20)) {
        const nullifierHash = BigInt(publicSignals[1]);
        equal(await net.store.job({ pool: net.pool(KEY).address.toRawString(), nullifierHash }), undefined);
      }
    },
  );

  await t.step("an honest withdrawal after the floods finds its place under the caps", async () => {
    const { status, body } = await net.post("/withdraw", two);
    ok(status === 200 || status === 202, JSON.stringify(body));
  });

  await t.step("the one after it meets the cap: 429 with the seconds until the hour is over", async () => {
    const { status, body, headers } = await net.post("/withdraw", three);
    deepEqual([status, body.code], [429, "hourly_cap_reached"]);
    const seconds = Number(headers.get("retry-after"));
    ok(seconds > 3_000 && seconds <= 3_600, String(seconds));
  });
});
