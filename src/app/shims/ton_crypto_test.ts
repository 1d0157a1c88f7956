import { deepEqual, throws } from "node:assert/strict";
import * as original from "@ton/crypto";
import * as replacement from "./ton_crypto.ts";

Deno.test("the app's replacement of @ton/crypto hashes as the original does", async () => {
  for (const data of ["", "tonado", new Uint8Array(), new Uint8Array(1_000).fill(7)]) {
    const input = data as string & Uint8Array & ArrayBufferView;
    const bytes = typeof data === "string" ? Buffer.from(data) : Buffer.from(data);
    deepEqual(replacement.sha256_sync(input), await original.sha256(bytes));
    deepEqual(await replacement.sha256(input), await original.sha256(bytes));
  }
});

Deno.test("the app's replacement of @ton/crypto refuses to sign and to handle mnemonics", () => {
  for (
    const name of ["sign", "signVerify", "keyPairFromSeed", "mnemonicNew", "mnemonicToPrivateKey"] as const
  ) {
    throws(() => (replacement[name] as () => void)(), /neither signs/, name);
  }
});
