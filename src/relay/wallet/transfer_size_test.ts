import { ok } from "node:assert/strict";
import { Address, beginCell } from "@ton/core";
import { storeWithdraw } from "../../core/protocol/messages/pool_messages.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Chain } from "../../ton/chain.ts";
import { openWallet } from "../../ton/wallet/wallet.ts";
import { MAX_JOBS_PER_TRANSFER } from "./due_jobs.ts";

/** The chain's limit for external messages. A value of the embedded store may be one byte larger. */
const MAX_MESSAGE_BYTES = 65_535;

const unasked = () => Promise.reject(new Problem("chain_unavailable"));
const chain: Chain = {
  masterchainSeqno: unasked,
  masterchainSeqnoAt: unasked,
  account: unasked,
  transactions: unasked,
  runGetMethod: unasked,
  configParam: unasked,
  send: unasked,
};

Deno.test("the largest batch of the largest withdrawals fits in one external message", async () => {
  const mnemonic = "zebra ".repeat(23) + "abandon";
  const wallet = await openWallet(mnemonic, { version: "v5R1", network: "mainnet", chain });
  const address = (i: number) => new Address(-1, Buffer.alloc(32, i));
  const most = 2n ** 120n - 1n;
  // All cells differ, so none is shared.
  const bits = (count: number, i: number) =>
    beginCell().storeUint((1n << BigInt(count - 1)) + BigInt(i), count);
  const messages = Array.from({ length: MAX_JOBS_PER_TRANSFER }, (_, i) => ({
    to: address(i),
    value: most,
    bounce: true,
    body: storeWithdraw({
      queryId: BigInt(i),
      root: 2n ** 254n,
      nullifierHash: 2n ** 254n,
      fee: most,
      refund: most,
      recipient: address(i),
      relayer: wallet.address,
      proof: bits(768, i).storeRef(bits(768, MAX_JOBS_PER_TRANSFER + i).endCell()).endCell(),
    }),
  }));
  const { message } = wallet.sign({ seqno: 0, validUntil: 2 ** 31, messages });
  const { length } = message.toBoc();
  ok(length <= MAX_MESSAGE_BYTES, `${length} bytes`);
});
