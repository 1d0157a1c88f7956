import { ok } from "node:assert/strict";
import { Address, beginCell } from "@ton/core";
import { storeWithdraw } from "../core/messages.ts";
import { Problem } from "../core/errors.ts";
import type { Chain } from "../ton/chain.ts";
import { openWallet } from "../ton/wallet.ts";
import { MOST_MESSAGES } from "./broadcaster.ts";

/** Of an external message, in the chain's configuration; the embedded store takes one byte more in a value. */
const LARGEST_MESSAGE = 65_535;

const unasked = () => Promise.reject(new Problem("chain_unavailable"));
const chain: Chain = {
  masterchainSeqno: unasked,
  masterchainSeqnoAt: unasked,
  account: unasked,
  transactions: unasked,
  get: unasked,
  configParam: unasked,
  send: unasked,
};

Deno.test("broadcaster: the largest batch of the largest withdrawals fits in one external message", async () => {
  const mnemonic = "zebra ".repeat(23) + "abandon";
  const wallet = await openWallet(mnemonic, { version: "v5R1", network: "mainnet", chain });
  const address = (i: number) => new Address(-1, Buffer.alloc(32, i));
  const most = 2n ** 120n - 1n;
  // Every cell is another one, so that none is shared.
  const bits = (count: number, i: number) =>
    beginCell().storeUint((1n << BigInt(count - 1)) + BigInt(i), count);
  const messages = Array.from({ length: MOST_MESSAGES }, (_, i) => ({
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
      proof: bits(768, i).storeRef(bits(768, MOST_MESSAGES + i).endCell()).endCell(),
    }),
  }));
  const { message } = wallet.sign({ seqno: 0, validUntil: 2 ** 31, messages });
  const { length } = message.toBoc();
  ok(length <= LARGEST_MESSAGE, `${length} bytes`);
});
