/** What a withdrawal through relayers asks the pool and each relayer, and when. */
import { deepEqual, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { openRelayerScene, recipient } from "../../../tests/support/relayer/scripted_relayers.ts";
import { emptyProver } from "../../../testkit/simulation/scripted_pool.ts";
import { createNote } from "../../core/protocol/note.ts";
import type { RelayerClient } from "../relayer/relayer_client.ts";
import { type RelayedWithdrawalRequest, withdrawViaRelayers } from "./relayed_withdrawal.ts";

function openScene() {
  const { scene, pool, note, ...parts } = openRelayerScene();
  const withdraw = (relayers: readonly RelayerClient[], change: Partial<RelayedWithdrawalRequest> = {}) =>
    withdrawViaRelayers(relayers.map((relayer) => ({ relayer, fee: 1n })), {
      pool,
      note,
      recipient,
      network: "localnet",
      prover: emptyProver,
      clock: scene.clock,
      ...change,
    }, { clock: scene.clock });
  return { ...parts, scene, withdraw };
}

Deno.test("a tree is read once, unless the pool gets another deposit while the user confirms", async () => {
  for (const isLate of [false, true]) {
    const { scene, requests, relayerOf, withdraw } = openScene();
    const approve = () => Promise.resolve(isLate ? scene.deposit(5n) : undefined);
    await withdraw([relayerOf("a", { state: "confirmed", pays: true })], { approve });
    const leaves = requests.filter((request) => request.includes("leaves"));
    deepEqual(leaves, isLate ? ["a leaves from 0", "a leaves from 0"] : ["a leaves from 0"]);
  }
});

Deno.test("the pool is asked before each proof whether the note is spent", async () => {
  const { requests, relayerOf, withdraw } = openScene();
  await withdraw([relayerOf("a", { state: "confirmed", pays: true })]);
  deepEqual(requests, ["a leaves from 0", "is spent", "a withdraw", "a status", "is spent"]);
});

Deno.test("a note that is known to be unspent is not named to the pool before a relayer has its proof", async () => {
  const { requests, relayerOf, withdraw } = openScene();
  await withdraw([relayerOf("a", { state: "confirmed", pays: true })], { isKnownUnspent: true });
  deepEqual(requests, ["a leaves from 0", "a withdraw", "a status", "is spent"]);
});

Deno.test("once a relayer has a proof, the pool is asked before the next relayer gets one", async () => {
  const { requests, relayerOf, withdraw, pay } = openScene();
  const relayers = [relayerOf("a", { state: "failed" }), relayerOf("b", { state: "failed" })];
  const onFailover = pay; // the first relayer pays although it reports a failure
  const { relayer, payment } = await withdraw(relayers, { isKnownUnspent: true, onFailover });
  deepEqual([relayer, payment.recipient.equals(recipient)], [relayers[0], true]);
  deepEqual(requests.filter((request) => request.endsWith("withdraw")), ["a withdraw"]);
});

Deno.test("a note of another pool, or a recipient that it does not pay, is refused before a relayer is asked", async () => {
  const { relayerOf, withdraw } = openScene();
  const asked: unknown[] = [];
  const onRelayer = (relayer: unknown) => void asked.push(relayer);
  const relayers = [relayerOf("a", { state: "failed" })];
  const other = createNote({ asset: "native", amount: "1", network: "localnet" });
  await rejects(withdraw(relayers, { onRelayer, note: other }), { code: "wrong_pool" });
  const unpaid = new Address(5, Buffer.alloc(32, 3));
  await rejects(withdraw(relayers, { onRelayer, recipient: unpaid }), { code: "invalid_address" });
  deepEqual(asked, []);
});
