/**
 * A relayer with a v5R1 wallet sends all waiting withdrawals in one transfer, more than a v4R2 could carry.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import type { Note } from "../../src/core/protocol/note.ts";
import { incomingMessagesSince } from "../../src/ton/wallet/incoming_messages.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { type HarnessResponse, RelayerHarness, withMethods } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const PAID = 1_000_000_000n - 60_000_000n;
const WAITING = 5;
const fresh = (byte: number) => new Address(0, Buffer.alloc(32, byte));

Deno.test("a v5R1 relayer sends the first withdrawal alone and those that waited together; all are paid", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  const signer = net.localnet.wallets.find(({ version }) => version === "v5R1")!;
  const notes: Note[] = [];
  for (let i = 0; i <= WAITING; i++) notes.push(await net.deposit(KEY));
  let held = true;
  let tries = 0;
  await net.startRelayer({
    signer,
    chain: (chain) =>
      withMethods(chain, {
        send(message, options) {
          tries++;
          return held ? Promise.reject(new Error("held back")) : chain.send(message, options);
        },
      }),
  });
  await net.untilIndexed(KEY);
  const recipient = (i: number) => fresh(0xa0 + i);
  const bodies: unknown[] = []; // proved in advance, because a caller waits half a minute at most
  for (const [i, note] of notes.entries()) {
    bodies.push(await net.withdrawal(KEY, note, { recipient: recipient(i) }));
  }
  const submit = (i: number) => net.post("/withdraw", bodies[i]);
  const status = ({ nullifierHash }: Note) => ({
    pool: net.pool(KEY).address.toString(),
    nullifierHash: fieldToHex(nullifierHash),
  });

  const first = submit(0);
  await waitUntil("the first is signed and held back", () => tries > 0);
  const others = notes.slice(1).map((_, i) => submit(i + 1));
  await waitUntil("the others are journaled", async () => {
    const jobs = await Promise.all(
      notes.map(async (note) => (await net.post("/withdraw/status", status(note))).body),
    );
    return jobs.every(({ state }) => state === "accepted");
  });
  held = false;
  const answers = [await first, ...await Promise.all(others)];
  // 202, because on a slow machine a caller's half minute may end before the wallet's turn.
  ok(answers.every(({ status }) => status === 200 || status === 202), "all are taken on");
  const done: HarnessResponse["body"][] = [];
  for (const [i, note] of notes.entries()) {
    done.push(await net.untilState(status(note), "confirmed", "failed", "expired"));
    equal(done[i].state, "confirmed");
    await waitUntil(
      `note ${i} is paid`,
      async () => (await net.chain.account(recipient(i))).balance === PAID,
    );
  }
  deepEqual(done.map(({ seqno }) => seqno), [0, ...Array(WAITING).fill(1)]);
  const hashes = new Set(done.slice(1).map(({ messageHash }) => messageHash));
  equal(hashes.size, 1, "one transfer carried them");
  const external = (await incomingMessagesSince(net.chain, signer.address, undefined))
    .filter(({ info }) => info.type === "external-in");
  equal(external.length, 2);
  const history = await net.chain.transactions(signer.address, { limit: 100 });
  ok(history.some(({ raw }) => raw.outMessagesCount === WAITING), "with a message each");
  await waitUntil("the journal holds no transfer", async () => await net.store.transfer() === undefined);
});
