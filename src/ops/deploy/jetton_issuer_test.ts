import assert from "node:assert/strict";
import { beginCell, type Builder, Cell } from "@ton/core";
import { minterCode, walletCode } from "../../localnet/generated/jetton_code.ts";
import { containsSetCode } from "./jetton_issuer.ts";

const library = beginCell().storeUint(2, 8).storeUint(7n, 256).endCell({ exotic: true });
const withRef = (ref: Cell, builder: Builder = beginCell()) => builder.storeRef(ref).endCell();

Deno.test("SETCODE is found at every bit of every cell, and the result for a library is unknown", async (t) => {
  const setCodeAt = (offset: number) => beginCell().storeUint(0, offset).storeUint(0xfb04, 16).endCell();
  const cases: [string, Cell, boolean | undefined][] = [
    ["no code", Cell.EMPTY, false],
    ["at the start of a cell", setCodeAt(0), true],
    ["without alignment, at its end", setCodeAt(5), true],
    ["in a cell below", withRef(withRef(setCodeAt(3))), true],
    [
      "across two cells is no instruction",
      withRef(
        beginCell().storeUint(0x04, 8).endCell(),
        beginCell().storeUint(0xfb, 8),
      ),
      false,
    ],
    ["one bit less", beginCell().storeUint(0xfb04 >> 1, 15).endCell(), false],
    ["another register, FB03 and FB05", beginCell().storeUint(0xfb03fb05, 32).endCell(), false],
    ["a library", library, undefined],
    ["a library below", withRef(library), undefined],
    ["beside a library", withRef(library, beginCell().storeUint(0xfb04, 16)), true],
    ["the localnet's master", Cell.fromBase64(minterCode), false],
    ["the localnet's wallets", Cell.fromBase64(walletCode), false],
  ];
  for (const [name, code, expected] of cases) {
    await t.step(name, () => assert.equal(containsSetCode(code), expected));
  }
});
