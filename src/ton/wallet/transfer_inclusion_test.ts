import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address, beginCell, type Cell } from "@ton/core";
import { ScriptedChain } from "../../../testkit/simulation/scripted_chain.ts";
import { confirmTransfer, isTransferAccepted, MAX_BLOCK_TIME_SKEW_SECONDS } from "./transfer_inclusion.ts";
import { normalizedMessageHash, type SignedTransfer } from "./wallet.ts";

const address = new Address(0, Buffer.alloc(32, 7));
const bodyOf = (n: number) => beginCell().storeUint(n, 32).endCell();
const POLL_MS = 1_000;

function sceneOf(body: Cell) {
  const scripted = new ScriptedChain();
  const validUntil = scripted.chainTime + 60;
  const transfer = { hash: normalizedMessageHash(address, body), validUntil } as SignedTransfer;
  const { chain, clock } = scripted;
  const wait = { pollIntervalMs: POLL_MS, clock };
  return { scripted, transfer, isAccepted: () => isTransferAccepted(chain, address, transfer, wait) };
}

const END_MS = 1000 * (60 + MAX_BLOCK_TIME_SKEW_SECONDS);
const arrivals: [what: string, ms: number, isAccepted: boolean, endsAt: number][] = [
  ["before it is awaited", 0, true, 0],
  ["meanwhile", 7_000, true, 7_000],
  ["in the last block that can contain it", END_MS + POLL_MS, true, END_MS + POLL_MS],
  ["never", Infinity, false, END_MS + POLL_MS],
];
for (const [what, ms, isAccepted, endsAt] of arrivals) {
  Deno.test(`a transfer whose transaction appears ${what} is${isAccepted ? "" : " not"} accepted`, async () => {
    const scene = sceneOf(bodyOf(1));
    const { scripted } = scene;
    const accept = () => void scripted.acceptTransfer(address, bodyOf(1));
    if (ms === 0) accept();
    else scripted.at(ms, accept);
    deepEqual([await scene.isAccepted(), scripted.now], [isAccepted, endsAt]);
  });
}

Deno.test("a transfer is found behind a page of other transactions, and not taken for another", async () => {
  const found = sceneOf(bodyOf(1));
  const missing = sceneOf(bodyOf(2));
  for (const { scripted } of [found, missing]) {
    scripted.acceptTransfer(address, bodyOf(1));
    for (let i = 0; i < 45; i++) scripted.add(address, { from: address, body: bodyOf(2) });
  }
  equal(await found.isAccepted(), true);
  equal(await missing.isAccepted(), false);
});

Deno.test("a transfer is not looked for in blocks before it was signed", async () => {
  const scripted = new ScriptedChain();
  const { chain } = scripted;
  for (let i = 0; i < 45; i++) scripted.acceptTransfer(address, bodyOf(0));
  scripted.pass(100_000);
  const newest = scripted.acceptTransfer(address, bodyOf(1));
  const pages: (string | undefined)[] = [];
  const counting: typeof chain = {
    ...chain,
    transactions: (
      account,
      options,
    ) => (pages.push(options.from?.hash), chain.transactions(account, options)),
  };
  const transfer = { hash: "00", validUntil: scripted.chainTime - MAX_BLOCK_TIME_SKEW_SECONDS - 1 };
  equal(await isTransferAccepted(counting, address, transfer as SignedTransfer, scripted), false);
  deepEqual(pages, [newest.hash]);
});

Deno.test("an endpoint that shows no new blocks ends the wait, and the transfer's fate is unknown", async () => {
  const { scripted: { chain, clock }, transfer } = sceneOf(bodyOf(1));
  const { syncUtime } = await chain.account(address);
  const stopped: typeof chain = {
    ...chain,
    account: async (of) => ({ ...await chain.account(of), syncUtime }),
  };
  await rejects(isTransferAccepted(stopped, address, transfer, { clock }), {
    code: "chain_unavailable",
    message: /shows no new blocks: a transfer may have been sent/,
    hint: `Look for ${transfer.hash} in an explorer before you run the command again.`,
  });
});

Deno.test("a transfer that was not accepted is a problem that says what to do", async () => {
  const { scripted: { chain, clock }, transfer } = sceneOf(bodyOf(1));
  await rejects(confirmTransfer(chain, { address, format: () => "EQwallet" }, transfer, { clock }), {
    code: "chain_unavailable",
    message: /^wallet EQwallet did not accept the transfer before it expired/,
    hint: "The transfer sent nothing. Run the command again.",
  });
});
