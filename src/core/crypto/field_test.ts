import assert from "node:assert/strict";
import { Address } from "@ton/core";
import fc from "fast-check";
import vectors from "../../../testkit/vectors/protocol.json" with { type: "json" };
import { propertyParameters } from "../../../testkit/random/property_runs.ts";
import { addressToField, settlerToField } from "../protocol/messages/address_field.ts";
import { Problem } from "../errors/problem.ts";
import {
  FIELD_MODULUS,
  fieldFromBytes,
  fieldFromHex,
  fieldToBytes,
  fieldToHex,
  parseSignal,
} from "./field.ts";
import { Secret } from "../text/secret.ts";

const element = fc.bigInt(0n, FIELD_MODULUS - 1n);
const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

Deno.test("field elements survive hex and bytes", () => {
  fc.assert(
    fc.property(element, (x) => {
      assert.equal(fieldFromHex(fieldToHex(x)), x);
      assert.equal(fieldFromBytes(fieldToBytes(x)), x);
      assert.equal(parseSignal(String(x)), x);
      assert.match(fieldToHex(x), /^0x[0-9a-f]{64}$/);
    }),
    propertyParameters(100),
  );
});

Deno.test("shorter and upper case hex is read, the canonical form is written", () => {
  assert.equal(fieldFromHex("0xA"), 10n);
  assert.equal(fieldToHex(10n), "0x" + "a".padStart(64, "0"));
});

Deno.test("r, r + 1 and 2^256 - 1 are not field elements in any encoding", () => {
  for (const x of [FIELD_MODULUS, FIELD_MODULUS + 1n, (1n << 256n) - 1n]) {
    assert.throws(() => fieldFromHex("0x" + x.toString(16)), refused("not_in_field"));
    assert.throws(() => parseSignal(String(x)), refused("not_in_field"));
    assert.throws(
      () => fieldFromBytes(Uint8Array.from(x.toString(16).match(/../g)!, (h) => parseInt(h, 16))),
      refused("not_in_field"),
    );
    assert.throws(() => fieldToHex(x), refused("not_in_field"));
  }
  assert.throws(() => fieldToHex(-1n), refused("not_in_field"));
});

for (const text of ["", "0x", "12", "0xg", "0x" + "1".repeat(65), "0X12", " 0x1", "-0x1", "1e5"]) {
  Deno.test(`fromHex refuses ${JSON.stringify(text.slice(0, 12))}`, () => {
    assert.throws(() => fieldFromHex(text), refused("invalid_request"));
  });
}

for (const text of ["", "-1", "1e5", "01", "1.5", "٣", "9".repeat(5000)]) {
  Deno.test(`parseSignal refuses ${JSON.stringify(text.slice(0, 12))}`, () => {
    assert.throws(() => parseSignal(text), refused("invalid_request"));
  });
}

Deno.test("addresses map to the field elements of the independent vectors", () => {
  for (const { address, field } of vectors.addressToField) {
    assert.equal(fieldToHex(addressToField(address === null ? null : Address.parse(address))), field);
  }
});

Deno.test("a workchain that no standard address can name has no field element", () => {
  for (const workChain of [128, 256, -129, 1.5]) {
    const { hash } = Address.parse(`0:${"11".repeat(32)}`);
    assert.throws(() => addressToField({ workChain, hash } as Address), refused("invalid_address"));
  }
});

Deno.test("the same account id in two workchains is two field elements", () => {
  const hash = "11".repeat(32);
  assert.notEqual(addressToField(Address.parse(`0:${hash}`)), addressToField(Address.parse(`-1:${hash}`)));
});

Deno.test("a settler is the highest 254 bits of the account id, always below r", () => {
  const settler = (id: string) => settlerToField(Address.parse(`0:${id}`));
  assert.equal(settler("00".repeat(31) + "17"), 5n);
  assert.equal(settler("ff".repeat(32)), 2n ** 254n - 1n);
  assert.ok(settler("ff".repeat(32)) < FIELD_MODULUS);
});

Deno.test("a Secret prints as [redacted] wherever it is printed", () => {
  const secret = new Secret("word word word");
  for (
    const shown of [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      Deno.inspect(secret),
      Deno.inspect({ a: [secret] }),
    ]
  ) {
    assert.ok(!shown.includes("word"), shown);
    assert.ok(shown.includes("[redacted]"), shown);
  }
  assert.equal(secret.reveal(), "word word word");
});
