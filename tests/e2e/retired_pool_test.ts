/**
 * The operator retires a pool: the relayer accepts no new withdrawals for it, and completes those that it
 * accepted.
 */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { quoteRelayers, RelayerClient } from "../../src/mod.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { acceptWithoutSending, startWithoutSending } from "../support/relayer/accepted_withdrawal.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const recipient = Address.parse(`0:${"43".repeat(32)}`);

Deno.test("a retired pool accepts no new withdrawals, pays those in progress, and serves everything else", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  await startWithoutSending(net);
  const [taken, late] = [await net.deposit(KEY), await net.deposit(KEY)];
  const { body, statusRequest } = await acceptWithoutSending(net, KEY, taken, recipient);

  const { network, pools } = net.localnet.deployments;
  const retired = new Map(pools).set(KEY, { ...net.pool(KEY), retired: true });
  await net.startRelayer({ deployments: { network, pools: retired } });
  await net.untilIndexed(KEY);
  const refused = await net.post("/withdraw", await net.withdrawal(KEY, late, { recipient }));
  deepEqual([refused.status, refused.body.code], [410, "pool_retired"]);
  const again = await net.post("/withdraw", body);
  deepEqual(
    [again.status, again.body.code],
    [409, "nullifier_already_used"],
    "a repeated request gets the state of the withdrawal",
  );
  await net.untilState(statusRequest, "confirmed");
  equal((await net.chain.account(recipient)).balance, 940_000_000n);

  const listed = (await net.get("/pools")).body.pools;
  equal(listed[KEY].retired, true);
  deepEqual(Object.keys(listed).filter((key) => "retired" in listed[key]), [KEY]);
  const pool = encodeURIComponent(body.pool);
  equal((await net.get(`/tree/root?pool=${pool}`)).body.root, fieldToHex(net.tree(KEY).root));
  equal((await net.get(`/tree/commitments?pool=${pool}`)).body.count, 2);
  const note = { pool: body.pool, commitment: fieldToHex(late.commitment) };
  equal((await net.post("/note/check", note)).body.deposited, true);
  await waitUntil("the relayer is ready", async () => (await net.get("/readyz")).status === 200);

  const client = new RelayerClient("http://relayer", { fetch: (input, init) => net.request(input, init) });
  await rejects(
    quoteRelayers([client], { network: "localnet", pool: net.pool(KEY).address }),
    { code: "relayer_unavailable" },
    "it is passed over before anything is proved",
  );
});
