import { equal } from "node:assert/strict";
import { Address } from "@ton/core";
import { addressInCode } from "./address_code.ts";
import { nextWithdraw } from "./withdraw.ts";

const address = new Address(0, Buffer.alloc(32, 7));
const friendly = address.toString({ bounceable: false });
const raw = address.toRawString();
const master = new Address(0, Buffer.alloc(32, 9)).toString();
/** Its friendly form has both characters in which the two alphabets differ. */
const mixed = new Address(0, Buffer.alloc(32, 0xfb)).toString({ bounceable: false });
const standard = mixed.replaceAll("-", "+").replaceAll("_", "/");

Deno.test("an address is found in the codes that wallets show", () => {
  for (
    const [code, found] of [
      [friendly, friendly],
      [raw, raw],
      [`ton://transfer/${friendly}`, friendly],
      [`ton://transfer/${friendly}?amount=1000000000&text=hello`, friendly],
      [`https://app.tonkeeper.com/transfer/${friendly}`, friendly],
      [` ${friendly}\n`, friendly],
      [`ton://transfer/${raw}`, raw],
      [standard, mixed],
      [encodeURIComponent(standard), mixed],
      [`ton://transfer/${standard}?amount=1`, mixed],
      [`ton://transfer/${encodeURIComponent(standard)}?amount=1`, mixed],
      [`https://app.tonkeeper.com/transfer/${standard}/`, mixed],
      [`ton://transfer/${friendly}?jetton=${master}&amount=1`, friendly],
      [`https://wallet.example/send?jetton=${master}&to=${friendly}`, friendly],
      [`https://wallet.example/send?to=${encodeURIComponent(standard)}&jetton=${master}`, mixed],
      [`https://wallet.example/send?to=${standard}`, mixed],
    ]
  ) equal(addressInCode(code), found, code);
});

Deno.test("a code without one whole recipient has none: a wrong checksum, a part, a note, two addresses", () => {
  const wrong = friendly.slice(0, 47) + (friendly[47] === "A" ? "B" : "A");
  const note = `tonado-native-10-testnet-0x${"ab".repeat(62)}`;
  const none = [
    `https://wallet.example/send?jetton=${master}`,
    `ton://transfer/${friendly}?to=${master}`,
    `${friendly} ${master}`,
    `ton://transfer/${friendly}%`,
  ];
  for (
    const code of [...none, "", "hello", wrong, friendly.slice(1), `${friendly}x`, raw.slice(0, -1), note]
  ) {
    equal(addressInCode(code), undefined, code);
  }
});

Deno.test("a pasted link is the recipient that it names", () => {
  const form = { step: "form", id: "n", recipient: "" } as const;
  const pasted = ` ton://transfer/${standard}?jetton=${master}&amount=1 `;
  for (const [text, recipient] of [[pasted, mixed], [friendly, friendly], [" UQ ", "UQ"]]) {
    const state = nextWithdraw(form, { type: "submit", recipient: text });
    equal(state.step === "checking" && state.recipient, recipient);
  }
});
