/**
 * Deposits to a version 2 pool: the pool queues valid ones, and everything refused returns with either bounce
 * flag.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Address, beginCell, Cell, toNano } from "@ton/core";
import { internal } from "@ton/sandbox";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import type { ExitCodeName } from "../../../src/core/errors/problem.ts";
import { storeAdmin } from "../../../testkit/chain/admin_messages.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import {
  depositComment,
  parseDepositComment,
  storeEnqueue,
  v2OpCodes,
} from "../../../src/core/protocol/v2/messages.ts";
import { MAX_QUEUED, V2_POOL_CAPACITY } from "../../../src/core/protocol/v2/pool_constants.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";
import { commentBody, V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import {
  assertAccepted,
  assertDepositReturned,
  assertRefused,
  assertStateMirrored,
} from "../../support/contracts/v2_assertions.ts";

const enqueue = (commitment = freshElement()) => storeEnqueue({ queryId: 0n, commitment });
const op = (code: number) => beginCell().storeUint(code, 32).storeUint(0, 64).endCell();
const append = (body: Cell, change: (slice: ReturnType<typeof beginCell>) => unknown) => {
  const builder = beginCell().storeSlice(body.beginParse());
  change(builder);
  return builder.endCell();
};

Deno.test("deposits are queued in order, by op and by comment, across pages and lists", async () => {
  const sandbox = await V2Sandbox.open();
  for (let i = 0; i < 261; i++) {
    const outcome = assertAccepted(await sandbox.deposit({ comment: i % 37 === 0, bounce: i % 2 === 0 }));
    const { commitment } = outcome;
    assert.deepEqual(outcome.logs, [
      { kind: "deposit", commitment, leafIndex: i, timestamp: sandbox.pool.chain.now! },
    ]);
    assert.equal(outcome.sent.length, 0);
    if (i < 9 || i > 250) await assertStateMirrored(sandbox);
  }
  assert.equal(await sandbox.pool.nextIndex(), 261);
});

Deno.test("duplicate and copied commitments are accepted, each as a leaf of its own", async () => {
  const sandbox = await V2Sandbox.open();
  const commitment = freshElement();
  for (const from of [sandbox.pool.user.address, sandbox.pool.owner.address]) {
    assertAccepted(await sandbox.deposit({ commitment, from }));
    assertAccepted(await sandbox.deposit({ commitment, from, comment: true }));
  }
  await assertStateMirrored(sandbox);
});

Deno.test("the commitment 0 and the highest field element are accepted", async () => {
  const sandbox = await V2Sandbox.open();
  for (const commitment of [0n, FIELD_MODULUS - 1n]) {
    for (const comment of [false, true]) assertAccepted(await sandbox.deposit({ commitment, comment }));
  }
  await assertStateMirrored(sandbox);
});

Deno.test("a commitment equal to a nullifier hash neither spends nor blocks it", async () => {
  const sandbox = await V2Sandbox.open();
  const nullifierHash = freshElement();
  for (let i = 0; i < 2; i++) assertAccepted(await sandbox.deposit({ commitment: nullifierHash }));
  await sandbox.settleAll();
  assertAccepted(await sandbox.withdraw({ nullifierHash }));
  await assertRefused(sandbox, "ERR_ALREADY_SPENT", () => sandbox.withdraw({ nullifierHash }));
  assertAccepted(await sandbox.deposit({ commitment: nullifierHash }), "after it was spent");
  await assertStateMirrored(sandbox);
});

Deno.test("a deposit from the masterchain, or with a StateInit, is a deposit", async () => {
  const sandbox = await V2Sandbox.open();
  assertAccepted(await sandbox.deposit({ from: new Address(-1, sandbox.pool.user.address.hash) }));
  const commitment = freshElement();
  const outcome = await sandbox.pool.deliver(internal({
    from: sandbox.pool.user.address,
    to: sandbox.pool.address,
    value: sandbox.pool.denomination,
    bounce: true,
    stateInit: { code: Cell.EMPTY, data: Cell.EMPTY },
    body: enqueue(commitment),
  }));
  assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0]);
  sandbox.commitments.push(commitment);
  await assertStateMirrored(sandbox);
});

const good = depositComment(0x3fa0b1c2d4e5f60718293a4b5c6d7e8f90abcdef0123456789fedcba98765432n);
const put = (at: number, char: string) => good.slice(0, at) + char + good.slice(at + 1);
const withChecksum = (hex: string) =>
  `tonado:${hex}${createHash("sha256").update(Buffer.from(hex, "hex")).digest("hex").slice(0, 8)}`;

Deno.test("a comment in upper or mixed case names the same commitment", async () => {
  const sandbox = await V2Sandbox.open();
  const mixed = [...good].map((char, i) => i > 6 && i % 3 === 0 ? char.toUpperCase() : char).join("");
  for (const text of [good, `tonado:${good.slice(7).toUpperCase()}`, mixed]) {
    assertAccepted(await sandbox.send(commentBody(text), sandbox.pool.denomination), text);
    assert.equal(parseDepositComment(text), parseDepositComment(good));
    sandbox.commitments.push(parseDepositComment(good)!);
  }
  await assertStateMirrored(sandbox);
});

Deno.test("a comment of any hex digits names its commitment, in either case", async () => {
  const sandbox = await V2Sandbox.open();
  for (const digit of "0123456789abcdef") {
    const commitment = BigInt(`0x0${digit.repeat(63)}`);
    const text = depositComment(commitment);
    for (const comment of [text, `tonado:${text.slice(7).toUpperCase()}`]) {
      assertAccepted(await sandbox.send(commentBody(comment), sandbox.pool.denomination), comment);
      sandbox.commitments.push(commitment);
    }
  }
  await assertStateMirrored(sandbox);
});

/** The characters next to the digits, and those that a careless parallel parser of hex digits accepts. */
const wrongCharacters = [..."/:@GOgo`{ zZ\0\x0f\x10\x19\x1f\x41g\x80\xb0\xc1\xe1\xff"].filter((char) =>
  !/[0-9a-fA-F]/.test(char)
);
const brokenComments: Record<string, string> = {
  "another text": "hello",
  "nothing": "",
  "the prefix alone": "tonado:",
  "another prefix": "Tonado:" + good.slice(7),
  "no prefix": good.slice(7),
  "a leading space": " " + good,
  "a trailing space": good + " ",
  "a trailing newline": good + "\n",
  "one digit less": good.slice(0, -1),
  "one digit more": good + "0",
  "0x before the digits": "tonado:0x" + good.slice(9),
  "no checksum": good.slice(0, 71),
  "a wrong digit": put(20, good[20] === "1" ? "2" : "1"),
  "a wrong digit of the checksum": put(78, good[78] === "1" ? "2" : "1"),
  "the checksum of the digits as text": good.slice(0, 71) +
    createHash("sha256").update(good.slice(7, 71)).digest("hex").slice(0, 8),
  ...Object.fromEntries(
    wrongCharacters.flatMap((char) =>
      [7, 38, 39, 70, 71, 78].map((at) => [`${JSON.stringify(char)} at ${at}`, put(at, char)])
    ),
  ),
};

Deno.test("a comment that is no deposit comes back in every broken form", async (t) => {
  const sandbox = await V2Sandbox.open();
  const from = sandbox.pool.user.address;
  for (const [what, text] of Object.entries(brokenComments)) {
    await t.step(what, async () => {
      assert.equal(parseDepositComment(text), undefined);
      const send = () => sandbox.send(commentBody(text), sandbox.pool.denomination, { bounce: false });
      await assertDepositReturned(sandbox, "ERR_MALFORMED", from, send);
    });
  }
});

Deno.test("a comment with a reference or a bit too much comes back", async () => {
  const sandbox = await V2Sandbox.open();
  const from = sandbox.pool.user.address;
  const text = Buffer.from(good);
  const bodies = [
    beginCell().storeUint(0, 32).storeBuffer(text).storeRef(Cell.EMPTY).endCell(),
    beginCell().storeUint(0, 32).storeBuffer(text).storeBit(0).endCell(),
    beginCell().storeUint(0, 32).endCell(),
  ];
  for (const body of bodies) {
    await assertDepositReturned(
      sandbox,
      "ERR_MALFORMED",
      from,
      () => sandbox.send(body, sandbox.pool.denomination),
    );
  }
});

type Case = [what: string, code: ExitCodeName, body: Cell, value?: bigint];
const FAR = withChecksum("f".repeat(64));
const cases: Case[] = [
  ["another amount", "ERR_WRONG_DENOMINATION", enqueue(), toNano(9)],
  ["one nano more", "ERR_WRONG_DENOMINATION", enqueue(), toNano(10) + 1n],
  ["another amount with a comment", "ERR_WRONG_DENOMINATION", commentBody(good), toNano(9)],
  ["another amount and malformed", "ERR_WRONG_DENOMINATION", op(v2OpCodes.enqueue), toNano(9)],
  ["a commitment of r", "ERR_NOT_IN_FIELD", enqueue(FIELD_MODULUS)],
  ["the highest commitment", "ERR_NOT_IN_FIELD", enqueue(2n ** 256n - 1n)],
  ["a comment with r", "ERR_NOT_IN_FIELD", commentBody(depositComment(FIELD_MODULUS))],
  ["a comment with the highest value", "ERR_NOT_IN_FIELD", commentBody(FAR)],
  ["the op alone", "ERR_MALFORMED", beginCell().storeUint(v2OpCodes.enqueue, 32).endCell()],
  ["one bit too much", "ERR_MALFORMED", append(enqueue(), (body) => body.storeBit(1))],
  ["a reference too much", "ERR_MALFORMED", append(enqueue(), (body) => body.storeRef(Cell.EMPTY))],
  ["one bit too little", "ERR_MALFORMED", beginCell().storeBits(enqueue().bits.substring(0, 351)).endCell()],
  ["an empty body", "ERR_MALFORMED", Cell.EMPTY],
  ["a body of 31 bits", "ERR_MALFORMED", beginCell().storeUint(0, 31).endCell()],
  ["an unknown op", "ERR_MALFORMED", op(0x12345678)],
  ["a deposit for version 1", "ERR_MALFORMED", op(opCodes.deposit)],
  ["a withdrawal for version 1", "ERR_MALFORMED", op(opCodes.withdraw)],
  ["excesses of exactly a note", "ERR_MALFORMED", op(opCodes.excesses)],
  ["another text of any amount", "ERR_MALFORMED", commentBody("hello"), toNano(3)],
];

for (const bounce of [true, false]) {
  for (const workchain of [0, -1]) {
    Deno.test(`refused deposits come back: bounce flag ${bounce}, workchain ${workchain}`, async (t) => {
      const sandbox = await V2Sandbox.open();
      const from = new Address(workchain, sandbox.pool.user.address.hash);
      for (const [what, code, body, value = sandbox.pool.denomination] of cases) {
        await t.step(
          what,
          () => assertDepositReturned(sandbox, code, from, () => sandbox.send(body, value, { from, bounce })),
        );
      }
    });
  }

  Deno.test(`a deposit to a paused pool, full pool or full queue comes back: bounce flag ${bounce}`, async () => {
    const sandbox = await V2Sandbox.open();
    const from = sandbox.pool.user.address;
    const returned = async (code: ExitCodeName) => {
      for (const comment of [false, true]) {
        await assertDepositReturned(sandbox, code, from, () => sandbox.deposit({ bounce, comment }));
      }
    };
    assertAccepted(
      await sandbox.send(storeAdmin("admin_pause"), toNano(1), { from: sandbox.pool.owner.address }),
    );
    await returned("ERR_PAUSED");
    const commitment = (leafIndex: number) => BigInt(leafIndex) + 1n;
    await sandbox.setState({ deposits: V2_POOL_CAPACITY, settled: V2_POOL_CAPACITY - 1, commitment });
    await returned("ERR_POOL_FULL");
    await sandbox.setState({ deposits: V2_POOL_CAPACITY - 1, settled: V2_POOL_CAPACITY - 1, commitment });
    assertAccepted(await sandbox.deposit({ bounce }));
    await assertStateMirrored(sandbox);
    await sandbox.setState({ deposits: MAX_QUEUED, settled: 0, commitment });
    await returned("ERR_QUEUE_FULL");
    assertAccepted(await sandbox.settle({ newRoot: freshElement() }));
    assertAccepted(await sandbox.deposit({ bounce }));
    await sandbox.setState({ deposits: MAX_QUEUED + 6, settled: 7, commitment });
    assertAccepted(await sandbox.deposit({ bounce }));
    await returned("ERR_QUEUE_FULL");
  });
}

Deno.test("other amounts with an empty body or an unknown op, and bounced messages, stay donations", async () => {
  const sandbox = await V2Sandbox.open();
  const { denomination } = sandbox.pool;
  const before = await sandbox.pool.data();
  for (const value of [toNano(1), denomination - 1n, denomination + 1n, toNano(100)]) {
    for (
      const body of [Cell.EMPTY, beginCell().storeUint(5, 3).endCell(), op(0x12345678), op(opCodes.excesses)]
    ) {
      const outcome = assertAccepted(await sandbox.send(body, value));
      assert.equal(outcome.balanceAfter - outcome.balanceBefore, value - outcome.tx.totalFees.coins);
      assert.equal(outcome.sent.length, 0);
    }
  }
  assertAccepted(await sandbox.send(enqueue(), denomination, { bounced: true, bounce: false }));
  assert.ok((await sandbox.pool.data()).equals(before));
});

Deno.test("a value too small for its way back never costs the pool a nano", async () => {
  const sandbox = await V2Sandbox.open();
  for (const body of [enqueue(), commentBody(good), commentBody("hello")]) {
    for (const bounce of [true, false]) {
      for (const value of [0n, 1n, 1_000n, 50_000n, 100_000n, 200_000n, 400_000n, 1_000_000n]) {
        const outcome = await sandbox.send(body, value, { bounce });
        assert.ok(outcome.balanceAfter >= outcome.balanceBefore, `${value}, ${bounce}: the pool paid`);
      }
    }
  }
  assert.equal(await sandbox.pool.nextIndex(), 0);
});
