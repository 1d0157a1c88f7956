import assert from "node:assert/strict";
import { beginCell, type Cell, type TupleItem } from "@ton/core";
import fc from "fast-check";
import { propertyParameters } from "../../../testkit/random/property_runs.ts";
import { parseStack, serializeArguments, serializeStack } from "./stack_json.ts";

const cell = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((value) =>
  beginCell().storeUint(value, 256).endCell()
);
const { item } = fc.letrec<{ item: TupleItem }>((tie) => ({
  item: fc.oneof(
    { depthSize: "small" },
    fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n - 1n }).map((value): TupleItem => ({
      type: "int",
      value,
    })),
    fc.constant<TupleItem>({ type: "null" }),
    fc.constant<TupleItem>({ type: "nan" }),
    cell.map((value): TupleItem => ({ type: "cell", cell: value })),
    fc.array(tie("item"), { maxLength: 4 }).map((items): TupleItem => ({ type: "tuple", items })),
  ),
}));

const plain = (items: readonly TupleItem[]): unknown[] =>
  items.map((entry) => {
    if (entry.type === "tuple") return ["tuple", plain(entry.items)];
    if (entry.type === "int") return ["int", entry.value];
    return "cell" in entry ? [entry.type, (entry.cell as Cell).hash().toString("hex")] : [entry.type];
  });

Deno.test("every stack is read back as it was written", () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), (stack) => {
      const wire = JSON.parse(JSON.stringify(serializeStack(stack)));
      assert.deepEqual(plain(parseStack(wire)), plain(stack));
    }),
    propertyParameters(100),
  );
});

Deno.test("arguments are read as they were written; what a get method cannot take is refused", () => {
  const body = beginCell().storeUint(1, 8).endCell();
  const args: TupleItem[] = [{ type: "int", value: -7n }, { type: "cell", cell: body }, {
    type: "slice",
    cell: body,
  }];
  assert.deepEqual(plain(parseStack(serializeArguments(args))), plain(args));
  assert.throws(() => serializeArguments([{ type: "null" }]), TypeError);
});

Deno.test("malformed stacks are rejected at once", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      try {
        assert.ok(Array.isArray(parseStack(json)) && Array.isArray(json));
      } catch (error) {
        assert.ok(error instanceof Error);
      }
    }),
    propertyParameters(100),
  );
});

Deno.test("a tuple that is nested too deeply is refused", () => {
  let entry: unknown = { "@type": "tvm.stackEntryTuple", tuple: { elements: [] } };
  for (let i = 0; i < 20; i++) entry = { "@type": "tvm.stackEntryTuple", tuple: { elements: [entry] } };
  assert.throws(() => parseStack([["tuple", { elements: [entry] }]]), /too deep/);
});
