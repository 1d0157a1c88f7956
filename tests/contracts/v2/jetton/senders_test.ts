/**
 * Settlements and withdrawals of a version 2 jetton pool by unusual messages: from the masterchain, with a
 * StateInit, without the bounce flag. The pool keeps and pays the same values.
 */
import assert from "node:assert/strict";
import { Address, Cell, toNano } from "@ton/core";
import { internal } from "@ton/sandbox";
import { storeRetryPayout } from "../../../../src/core/protocol/messages/pool_messages.ts";
import { exitCodes } from "../../../../src/core/errors/problem.ts";
import { storeWithdraw2, storeWithdrawMany } from "../../../../src/core/protocol/v2/messages.ts";
import { manyClaims } from "../../../../testkit/chain/v2/claims.ts";
import { V2JettonSandbox } from "../../../../testkit/chain/v2/jetton_sandbox.ts";
import { withV2Logs } from "../../../../testkit/chain/v2/sandbox.ts";
import {
  assertAccepted,
  assertStateMirrored,
  balanceChange,
} from "../../../support/contracts/v2_assertions.ts";

const settled = { deposits: 40, settled: 20, commitment: (leaf: number) => BigInt(leaf), roots: [5n, 6n] };
const VALUE = toNano(4);

/** The bodies that the pool accepts from `sender`, with functions that apply their effect to the model. */
const messages: Record<
  string,
  (sandbox: V2JettonSandbox, sender: Address) => { body: Cell; done: () => void }
> = {
  "a settlement": (sandbox, sender) => {
    const [end, newRoot] = [sandbox.batchEnd, 77n];
    return {
      body: sandbox.settleBody({ end, newRoot, from: sender }),
      done() {
        sandbox.roots.push(newRoot);
        sandbox.rootCount++;
        sandbox.settled = end;
      },
    };
  },
  "a withdrawal": (sandbox) => {
    const request = sandbox.request({});
    return { body: storeWithdraw2(request, 0n), done: () => sandbox.spent.add(request.nullifierHash) };
  },
  "a batch": (sandbox) => {
    const requests = sandbox.requests([{}, {}, {}]);
    return {
      body: storeWithdrawMany(requests, 0n),
      done: () => requests.forEach(({ nullifierHash }) => sandbox.spent.add(nullifierHash)),
    };
  },
  "a retry": () => {
    const [{ id }] = manyClaims(1);
    return { body: storeRetryPayout(id), done: () => {} };
  },
};

const stateInit = { code: Cell.EMPTY, data: Cell.EMPTY };

for (const [name, make] of Object.entries(messages)) {
  Deno.test(`${name} is accepted from the masterchain, with a StateInit and without the bounce flag`, async () => {
    const sandbox = await V2JettonSandbox.openJetton();
    const { pool } = sandbox;
    const far = new Address(-1, pool.relayer.address.hash);
    for (const from of [pool.relayer.address, far]) {
      for (const change of [{ bounce: false }, { bounce: true, stateInit }, { bounce: false, stateInit }]) {
        await sandbox.setState(settled, undefined, manyClaims(1));
        const { body, done } = make(sandbox, from);
        const message = internal({ from, to: pool.address, value: VALUE, body, ...change });
        const outcome = assertAccepted(withV2Logs(await pool.deliver(message)));
        const back = outcome.transactions.flatMap(({ outMessages }) => outMessages.values())
          .flatMap(({ info }) =>
            info.type === "internal" && info.dest.equals(from) ? [info.value.coins] : []
          );
        assert.ok(back.length > 0, "the rest of the value returns to the sender, wherever it is");
        done();
        if (name !== "a retry") await assertStateMirrored(sandbox);
        else assert.equal((await pool.getPoolInfo()).claims, 0);
      }
    }
  });
}

Deno.test("a refused settlement or withdrawal without the bounce flag leaves its value, and changes nothing", async () => {
  const sandbox = await V2JettonSandbox.openJetton();
  const { pool } = sandbox;
  await sandbox.setState(settled);
  const data = await pool.data();
  const refused = {
    ERR_PROOF_INVALID: sandbox.settleBody({ prover: pool.user.address, from: pool.relayer.address }),
    ERR_STALE_SETTLE: sandbox.settleBody({ end: 41 }),
    ERR_UNKNOWN_ROOT: storeWithdraw2(sandbox.request({ root: 9n }), 0n),
    ERR_STALE_SLOT: storeWithdraw2(sandbox.request({ carried: Cell.EMPTY }), 0n),
  } as const;
  for (const [code, body] of Object.entries(refused)) {
    const outcome = await sandbox.send(body, toNano(1), { from: pool.relayer.address, bounce: false });
    assert.equal(outcome.exitCode, exitCodes[code as keyof typeof refused]);
    assert.ok(outcome.tx.description.type === "generic" && outcome.tx.description.computePhase.type === "vm");
    assert.equal(balanceChange(outcome), toNano(1) - outcome.tx.description.computePhase.gasFees, code);
    assert.equal(outcome.sent.length, 0);
    assert.ok((await pool.data()).equals(data));
  }
});
