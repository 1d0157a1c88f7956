import { deepEqual, rejects } from "node:assert/strict";
import { Address, Cell } from "@ton/core";
import { ChainClock } from "../../../client/deposit/checks/chain_clock.ts";
import type { Chain } from "../../../ton/chain.ts";
import { REQUEST_SECONDS } from "../../options/connect_options.ts";
import { checkedPayer } from "./pay.ts";

const address = new Address(0, Buffer.alloc(32, 1));
const NOW = 1_800_000_000;
const YEARS = 20 * 365 * 86_400;

Deno.test("no wallet is asked for a payment that is valid until a time which an endpoint invented", async () => {
  const asked: number[] = [];
  const wallet = {
    address,
    pay: (_message: unknown, { validUntil }: { validUntil: number }) =>
      Promise.resolve(void asked.push(validUntil)),
  };
  const chainClock = new ChainClock({ now: () => NOW * 1000 }, { now: () => 0 });
  const payer = checkedPayer(wallet, { chain: {} as Chain, jetton: undefined, chainClock });
  const message = { to: address, amount: 1n, body: Cell.EMPTY };
  const payAt = (chainTime: number) => payer.pay(message, { validUntil: chainTime + REQUEST_SECONDS });
  await rejects(payAt(NOW + YEARS), { code: "chain_inconsistent" });
  await payAt(NOW);
  deepEqual(asked, [NOW + REQUEST_SECONDS]);
});
