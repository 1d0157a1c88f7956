import assert from "node:assert/strict";
import { hexToBytes } from "@noble/hashes/utils.js";
import fc from "fast-check";
import vectors from "../../../testkit/vectors/protocol.json" with { type: "json" };
import { propertyParameters } from "../../../testkit/random/property_runs.ts";
import { v8Flags } from "../../../testkit/toolchain/v8_flags.ts";
import { wasmBytes } from "../../../poseidon-wasm/pkg/poseidon_wasm_bytes.ts";
import { wasmBytes as wideWasmBytes } from "../../../poseidon-wasm/pkg/poseidon_wasm_wide_bytes.ts";
import { FIELD_MODULUS } from "./field.ts";
import { hasWideArithmetic } from "./wide_arithmetic.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

const flags = await v8Flags();

for (const given of flags.length > 0 ? [[], flags] : [[]]) {
  Deno.test(`the kernels that fit are taken and hash as published, ${given.length > 0 ? "with" : "without"} the flag`, async () => {
    const { stdout } = await childCommand(Deno.execPath(), {
      args: ["run", "-A", "--no-check", ...given, "tests/fixtures/which_kernels.ts"],
      cwd: new URL("../../../", import.meta.url),
    }).output();
    assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), {
      hasWideArithmetic: given.length > 0,
      digest: String(BigInt(vectors.poseidon.two[0].out)),
    });
  });
}

async function instance(variant: "plain" | "wide") {
  const glue: typeof import("../../../poseidon-wasm/pkg/poseidon_wasm.js") = await import(
    `../../../poseidon-wasm/pkg/poseidon_wasm.js?${variant}`
  );
  glue.initSync({ module: variant === "wide" ? wideWasmBytes() : wasmBytes() });
  return glue;
}

Deno.test({
  name: "both kernels make the same hashes, of extremes and of any bytes",
  ignore: !hasWideArithmetic,
  async fn() {
    const [plain, wide] = await Promise.all([instance("plain"), instance("wide")]);
    const word = fc.oneof(
      fc.constantFrom(0n, 1n, 2n ** 64n - 1n, 2n ** 63n),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    );
    const limbs = fc.array(word, { minLength: 4, maxLength: 4 })
      .map((words) => words.reduce((sum, word) => (sum << 64n) | word, 0n));
    const near = fc.constantFrom(0n, 1n, 2n).chain((times) =>
      fc.bigInt({ min: -2n, max: 2n }).map((offset) => BigInt.asUintN(256, times * FIELD_MODULUS + offset))
    );
    const element = fc.oneof(limbs, near).map((x) => hexToBytes(x.toString(16).padStart(64, "0")));
    fc.assert(
      fc.property(fc.array(element, { minLength: 32, maxLength: 32 }), (elements) => {
        const bytes = new Uint8Array(elements.flatMap((element) => [...element]));
        assert.deepEqual(wide.poseidon2(bytes), plain.poseidon2(bytes));
        assert.deepEqual(wide.poseidon1(bytes), plain.poseidon1(bytes));
      }),
      propertyParameters(100),
    );
  },
});
