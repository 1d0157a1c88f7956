import { equal } from "node:assert/strict";
import { Address } from "@ton/core";
import { addressInCode } from "./address_code.ts";

const address = new Address(0, Buffer.alloc(32, 7));
const friendly = address.toString({ bounceable: false });
const raw = address.toRawString();

Deno.test("an address is found in the codes that wallets show", () => {
  for (
    const [code, found] of [
      [friendly, friendly],
      [raw, raw],
      [`ton://transfer/${friendly}`, friendly],
      [`ton://transfer/${friendly}?amount=1000000000&text=hello`, friendly],
      [`https://app.tonkeeper.com/transfer/${friendly}`, friendly],
      [` ${friendly}\n`, friendly],
    ]
  ) equal(addressInCode(code), found, code);
});

Deno.test("a code without a whole address has none: a wrong checksum, a part, a note", () => {
  const wrong = friendly.slice(0, 47) + (friendly[47] === "A" ? "B" : "A");
  const note = `tonado-native-10-testnet-0x${"ab".repeat(62)}`;
  for (const code of ["", "hello", wrong, friendly.slice(1), `${friendly}x`, raw.slice(0, -1), note]) {
    equal(addressInCode(code), undefined, code);
  }
});
