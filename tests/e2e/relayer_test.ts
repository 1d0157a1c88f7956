/** The relayer's HTTP API on a localnet, from a deposit to its payment. All parts are real. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { FIELD_MODULUS, fieldToHex } from "../../src/core/crypto/field.ts";
import { poseidon } from "../../src/core/crypto/poseidon.ts";
import type { Note } from "../../src/core/protocol/note.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const DENOMINATION = 1_000_000_000n;
const fresh = (byte: number) => new Address(0, Buffer.alloc(32, byte));

/** Starts a local network with a relayer. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start());
  const pool = net.pool(KEY).address.toString();
  const query = `pool=${encodeURIComponent(pool)}`;
  const balanceOf = async (address: Address) => (await net.chain.account(address)).balance;
  await net.untilIndexed(KEY);
  const notes: Note[] = [];
  const open = stack.move();
  return { net, query, notes, pool, balanceOf, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("relayer: from deposit to payment through the API", async (t) => {
  await using scene = await openScene();
  await t.step("an empty pool has the empty root and no leaves", () => servesEmptyPool(scene));
  await servesLeaves(t, scene);
  await t.step("/note/check answers what the request asks, and null for the rest", () => checksNotes(scene));
  await withdrawsOnce(t, scene);
  await t.step("/spent lists the payment, in JSON and as bytes", () => listsPayment(scene));
  await t.step("concurrent withdrawals are all sent and paid", () => withdrawsConcurrently(scene));
});

async function servesEmptyPool({ net, query }: Scene): Promise<void> {
  equal((await net.get(`/tree/root?${query}`)).body.root, fieldToHex(net.tree(KEY).root));
  const { count, nextFrom, commitments } = (await net.get(`/tree/commitments?${query}`)).body;
  deepEqual([count, nextFrom, commitments], [0, null, []]);
}

async function servesLeaves(t: Deno.TestContext, { notes, net, query }: Scene): Promise<void> {
  for (let i = 0; i < 3; i++) notes.push(await net.deposit(KEY));
  await net.untilIndexed(KEY);

  await t.step("deposits are served as leaves in order, in contiguous pages", async () => {
    const expected = notes.map(({ commitment }, leafIndex) => ({
      leafIndex,
      commitment: fieldToHex(commitment),
    }));
    const first = (await net.get(`/tree/commitments?${query}&limit=2`)).body;
    deepEqual([first.from, first.count, first.nextFrom], [0, 2, 2]);
    const rest = (await net.get(`/tree/commitments?${query}&from=2&limit=99999999999`)).body;
    deepEqual([rest.from, rest.count, rest.nextFrom], [2, 1, null]);
    deepEqual([...first.commitments, ...rest.commitments], expected);
    deepEqual((await net.get(`/tree/commitments?${query}&from=3`)).body.commitments, []);
  });

  await t.step("leaves are served as bytes to clients that accept them", async () => {
    const ask = async (range: string, accept: string) =>
      await net.request(
        new Request(`http://relayer/tree/commitments?${query}${range}`, { headers: { accept } }),
      );
    const bytes = await ask("&from=1&limit=2", "application/octet-stream, application/json;q=0.5");
    equal(bytes.headers.get("content-type"), "application/octet-stream");
    equal(bytes.headers.get("vary"), "accept");
    equal(
      bytes.headers.get("cache-control"),
      "no-store",
      "a restarted local network has the same addresses",
    );
    const expected = notes.slice(1).map(({ commitment }) =>
      fieldToHex(commitment).slice(2).padStart(64, "0")
    );
    equal(Buffer.from(await bytes.arrayBuffer()).toString("hex"), expected.join(""));
    equal((await (await ask("&from=3", "application/octet-stream")).arrayBuffer()).byteLength, 0);
    for (const accept of ["*/*", "application/json, application/octet-stream;q=0.1"]) {
      equal((await (await ask("", accept)).json()).count, 3, accept);
    }
    equal((await (await ask("&limit=0", "application/octet-stream")).json()).code, "invalid_request");
  });

  await t.step("the served path of a leaf hashes to the root on the chain", async () => {
    const commitment = fieldToHex(notes[1].commitment);
    const { root, pathElements, pathIndices } =
      (await net.get(`/tree/path?${query}&commitment=${commitment}`)).body;
    let node = notes[1].commitment;
    pathElements.forEach((element: string, level: number) => {
      const sibling = BigInt(element);
      node = pathIndices[level] === 0 ? poseidon([node, sibling]) : poseidon([sibling, node]);
    });
    equal(fieldToHex(node), root);
    equal(node, await net.contract(KEY).getCurrentRoot());
    equal((await net.get(`/tree/path?${query}&commitment=0x1`)).body.code, "commitment_not_found");
  });
}

async function checksNotes({ net, pool, notes }: Scene): Promise<void> {
  const check = async (body: object) => (await net.post("/note/check", { pool, ...body })).body;
  const known = await check({ commitment: fieldToHex(notes[2].commitment) });
  equal(typeof known.timestamp, "number");
  deepEqual({ ...known, timestamp: 0 }, { deposited: true, leafIndex: 2, timestamp: 0, spent: null });
  const nothing = { deposited: null, leafIndex: null, timestamp: null, spent: null };
  deepEqual(await check({ commitment: "0x5" }), { ...nothing, deposited: false });
  deepEqual(await check({ nullifierHash: fieldToHex(notes[2].nullifierHash) }), {
    ...nothing,
    spent: false,
  });
}

async function listsPayment({ net, notes, query }: Scene): Promise<void> {
  const nullifierHash = fieldToHex(notes[0].nullifierHash);
  await waitUntil("the list has it", async () => (await net.get(`/spent?${query}`)).body.count === 1);
  const { count, nextFrom, nullifierHashes } = (await net.get(`/spent?${query}`)).body;
  deepEqual([count, nextFrom, nullifierHashes], [1, null, [nullifierHash]]);
  const headers = { accept: "application/octet-stream" };
  const bytes = await net.request(new Request(`http://relayer/spent?${query}`, { headers }));
  deepEqual(
    ["content-type", "vary", "cache-control"].map((name) => bytes.headers.get(name)),
    ["application/octet-stream", "accept", "no-store"],
  );
  equal(`0x${Buffer.from(await bytes.arrayBuffer()).toString("hex")}`, nullifierHash);
  equal((await net.get(`/spent?${query}&from=1`)).body.count, 0);
}

async function withdrawsOnce(t: Deno.TestContext, { net, notes, pool, balanceOf }: Scene): Promise<void> {
  const recipient = fresh(0x42);
  const body = await net.withdrawal(KEY, notes[0], { recipient, refund: 20_000_000n });
  const status = { pool, nullifierHash: fieldToHex(notes[0].nullifierHash) };

  await t.step(
    "an altered proof, an unknown root and another nullifier are refused, and no job is stored",
    async () => {
      const { proof, publicSignals } = body;
      const swapped = { ...proof, pi_a: proof.pi_c, pi_c: proof.pi_a };
      equal((await net.post("/withdraw", { ...body, proof: swapped })).body.code, "proof_invalid");
      const offCurve = { ...proof, pi_a: ["1", "2", "1"] };
      equal((await net.post("/withdraw", { ...body, proof: offCurve })).body.code, "proof_invalid");
      const otherRoot = publicSignals.with(0, "5");
      equal((await net.post("/withdraw", { ...body, publicSignals: otherRoot })).body.code, "unknown_root");
      const otherNullifier = publicSignals.with(1, String(notes[1].nullifierHash));
      equal(
        (await net.post("/withdraw", { ...body, publicSignals: otherNullifier })).body.code,
        "proof_invalid",
      );
      const congruent = publicSignals.with(1, String(notes[0].nullifierHash + FIELD_MODULUS));
      equal((await net.post("/withdraw", { ...body, publicSignals: congruent })).body.code, "not_in_field");
      equal((await net.post("/withdraw/status", status)).body.code, "withdrawal_not_found");
    },
  );

  const before = await balanceOf(net.relayerAddress);
  await t.step("one of 20 equal concurrent withdrawals is sent, and 19 get its state", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => net.post("/withdraw", body)));
    deepEqual(answers.map((answer) => answer.status).sort(), [200, ...Array(19).fill(409)]);
    for (const { status, body: answer } of answers) {
      const withdrawal = status === 200 ? answer : answer.withdrawal;
      equal(withdrawal.nullifierHash, fieldToHex(notes[0].nullifierHash));
      ok(["accepted", "broadcast", "confirmed"].includes(withdrawal.state));
      if (status === 200) deepEqual([answer.seqno, answer.fee], [0, "60000000"]);
      else equal(answer.code, "nullifier_already_used");
    }
  });

  await t.step("it is confirmed from the pool's log, and paid to the nano", async () => {
    const done = await net.untilState(status, "confirmed", "failed", "expired");
    deepEqual([done.state, done.reason], ["confirmed", null]);
    ok(done.txHash && done.messageHash && done.settledAt >= done.acceptedAt);
    equal(await balanceOf(recipient), DENOMINATION - 60_000_000n + 20_000_000n);
    equal((await net.post("/note/check", status)).body.spent, true);
  });

  await t.step("the fee covers the cost of the withdrawal without the refund", async () => {
    let gain = 0n;
    await waitUntil("the excess is returned", async () => {
      gain = await balanceOf(net.relayerAddress) - before;
      return gain > -50_000_000n;
    });
    const cost = 60_000_000n - 20_000_000n - gain;
    ok(cost > 10_000_000n && cost < 40_000_000n, `cost ${cost}`);
  });

  await t.step("the same note again is 409, with its payment in the answer", async () => {
    const again = await net.withdrawal(KEY, notes[0], { recipient: fresh(0x43) });
    const { status, body: answer } = await net.post("/withdraw", again);
    deepEqual([status, answer.code, answer.withdrawal.state], [409, "nullifier_already_used", "confirmed"]);
  });
}

async function withdrawsConcurrently({ net, notes, pool, balanceOf }: Scene): Promise<void> {
  const bodies = [
    await net.withdrawal(KEY, notes[1], { recipient: fresh(0x44) }),
    await net.withdrawal(KEY, notes[2], { recipient: fresh(0x45) }),
  ];
  const answers = await Promise.all(bodies.map((each) => net.post("/withdraw", each)));
  deepEqual(answers.map((answer) => answer.status), [200, 200]);
  for (const note of notes.slice(1)) {
    await net.untilState({ pool, nullifierHash: fieldToHex(note.nullifierHash) }, "confirmed");
  }
  equal(await balanceOf(fresh(0x44)), DENOMINATION - 60_000_000n);
  equal(await balanceOf(fresh(0x45)), DENOMINATION - 60_000_000n);
}

Deno.test("relayer: while its endpoint is down it reports that, continues to answer, and recovers by itself", async () => {
  await using net = await RelayerHarness.start();
  const query = `pool=${encodeURIComponent(net.pool(KEY).address.toString())}`;
  await waitUntil("ready", async () => (await net.get("/readyz")).status === 200);
  net.shut = true;
  await waitUntil("not ready", async () => (await net.get("/readyz")).body.pools[KEY].ready === false);
  const { status, body } = await net.get("/readyz");
  deepEqual([status, body.ready], [503, false]);
  ok(body.pools[KEY].reason);
  equal((await net.get("/status")).status, 200);
  equal((await net.get("/livez")).status, 200);
  const refused = await net.get(`/tree/root?${query}`);
  deepEqual([refused.status, refused.body.code], [503, "not_ready"]);
  ok(Number(refused.headers.get("retry-after")) > 0);
  net.shut = false;
  await waitUntil("ready again", async () => (await net.get("/readyz")).status === 200);
  equal((await net.get(`/tree/root?${query}`)).status, 200);
});
