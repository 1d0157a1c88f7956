/**
 * Another proof of the same note overtakes a withdrawal: the client reports the recipient that the pool paid.
 */
import { deepEqual, equal } from "node:assert/strict";
import { Address } from "@ton/core";
import { RelayerClient } from "../../src/client/relayer/relayer_client.ts";
import { withdrawViaRelayers } from "../../src/client/withdrawal/relayed_withdrawal.ts";
import { type AnswerTransform, startRelayerProxy } from "../support/relayer/relayer_proxy.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness, withMethods } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const fresh = (byte: number) => new Address(0, Buffer.alloc(32, byte));

/** The relayer's answers after the note is paid. */
const cases: Record<string, AnswerTransform> = {
  "the relayer reports it as superseded": (_path, answer) => answer,
  "the relayer never reports an end": (path, answer) =>
    path === "/withdraw/status" ? { ...answer, state: "broadcast" } : answer,
};

Deno.test("a superseded withdrawal reports whom the pool paid", async (t) => {
  await using net = await RelayerHarness.start({ relayer: false });
  const notes = [await net.deposit(KEY), await net.deposit(KEY), await net.deposit(KEY)];
  await net.startRelayer({
    chain: (chain) => withMethods(chain, { send: () => Promise.reject(new Error("held back")) }),
  });
  await net.untilIndexed(KEY);
  const pool = net.contract(KEY);

  /** Pays a note with the user's own message, as a withdrawal without this relayer does. */
  const payDirectly = async (note: typeof notes[0], recipient: Address) => {
    const parties = { recipient, relayer: fresh(0x76), fee: 1n };
    const { proof, publicSignals } = await net.withdrawal(KEY, note, parties);
    const { nullifierHash } = note;
    const root = BigInt(publicSignals[0]);
    await pool.sendWithdraw(net.user.sender(), { ...parties, root, nullifierHash, refund: 0n, proof });
    await waitUntil("it is paid", () => pool.getIsSpent(nullifierHash));
  };

  const withdraw = async (i: number, transform: AnswerTransform, paid: Address) => {
    await using proxy = startRelayerProxy((request) => net.request(request), transform);
    const result = withdrawViaRelayers(
      [new RelayerClient(proxy.url)],
      {
        pool,
        poolKey: KEY,
        network: "localnet",
        note: notes[i],
        recipient: fresh(0x74),
        prover: net.prover,
      },
      { pollIntervalMs: 200, timeoutMs: 600_000 },
    );
    const id = { pool: pool.address.toRawString(), nullifierHash: notes[i].nullifierHash };
    await waitUntil("the relayer has accepted it", async () => await net.store.job(id) !== undefined);
    await payDirectly(notes[i], paid);
    return await result;
  };

  for (const [i, [name, transform]] of Object.entries(cases).entries()) {
    await t.step(name, async () => {
      const { status, payment } = await withdraw(i, transform, fresh(0x75));
      equal(status.state, "superseded");
      deepEqual([payment?.fee, payment?.recipient.equals(fresh(0x75))], [1n, true]);
      equal(payment?.relayer?.equals(fresh(0x76)), true);
      const row = await net.store.withdrawal(pool.address.toRawString(), notes[i].nullifierHash);
      equal(payment?.tx, row?.txHash);
    });
  }
  await t.step("another relayer's payment to the same recipient is confirmed by the chain", async () => {
    const { status, payment } = await withdraw(2, cases["the relayer never reports an end"], fresh(0x74));
    deepEqual([status.state, payment?.fee], ["confirmed", 1n]);
  });
});
