import { doesNotThrow, throws } from "node:assert/strict";
import { Address } from "@ton/core";
import type { MatchedPool } from "../../notes/pool_match.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { assertListedWallet } from "./pool_checks.ts";

Deno.test("an endpoint cannot name another jetton wallet of a pool than the list of pools does", () => {
  const [listed, other] = [1, 2].map((byte) => new Address(0, Buffer.alloc(32, byte)));
  const check = (jettonWallet: Address | undefined, answered: Address | null) =>
    assertListedWallet(
      { jettonWallet } as Deployment,
      { info: { jettonWallet: answered } } as MatchedPool,
    );
  doesNotThrow(() => check(listed, listed));
  doesNotThrow(() => check(undefined, other));
  throws(() => check(listed, other), { code: "wrong_pool" });
  doesNotThrow(() => check(listed, null)); // a pool whose wallet is not known yet refuses deposits by itself
});
