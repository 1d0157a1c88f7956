import { equal, ok } from "node:assert/strict";
import * as ton from "@ton/ton";
import { beginCell, type Cell } from "@ton/core";
import { isKnownWalletCode, walletCodeHashes } from "./wallet_codes.ts";

type Contract = { create(args: { workchain: number; publicKey: Buffer }): { init: { code: Cell } } };

for (const [version, hash] of Object.entries(walletCodeHashes)) {
  Deno.test(`the code of ${version} is that of @ton/ton`, () => {
    const name = `WalletContract${version.toUpperCase().replace("V4R2", "V4").replace("BETA", "Beta")}`;
    const contract = ton[name as keyof typeof ton] as unknown as Contract;
    const { code } = contract.create({ workchain: 0, publicKey: Buffer.alloc(32) }).init;
    equal(code.hash().toString("hex"), hash);
    ok(isKnownWalletCode(code));
  });
}

Deno.test("other code is not recognised as a wallet", () => ok(!isKnownWalletCode(beginCell().endCell())));
