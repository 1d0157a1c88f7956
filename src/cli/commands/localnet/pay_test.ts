import { deepEqual, throws } from "node:assert/strict";
import { Address } from "@ton/core";
import { parseTransferLink } from "./pay.ts";

const address = new Address(0, Buffer.alloc(32, 7));

Deno.test("a payment bounces as its link's address says; a raw address says nothing, and bounces", () => {
  const bounces = (text: string) => parseTransferLink(`ton://transfer/${text}?amount=5`).bounce;
  deepEqual(
    [
      address.toRawString(),
      address.toString({ bounceable: true }),
      address.toString({ bounceable: false }),
    ].map(bounces),
    [true, true, false],
  );
});

Deno.test("a link without an amount, with a wrong address or with an unknown parameter is refused", () => {
  for (const query of ["", "?amount=0", "?amount=-1", "?amount=1.5", "?amount=5&to=other"]) {
    throws(() => parseTransferLink(`ton://transfer/${address}${query}`), { code: "invalid_config" });
  }
  throws(() => parseTransferLink("ton://transfer/UQabc?amount=5"), { code: "invalid_config" });
});
