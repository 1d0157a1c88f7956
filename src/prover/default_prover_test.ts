import assert from "node:assert/strict";

const script = `
  import { depositInput } from ${module("../../tests/support/proof_inputs.ts")};
  import { proveDeposit, verifyProof } from ${module("./default_prover.ts")};
  const { proof, publicSignals } = await proveDeposit(depositInput());
  console.log(await verifyProof("deposit", proof, publicSignals));
  console.log(await verifyProof("deposit", proof, publicSignals.toReversed()));
`;

Deno.test("a script that proves and verifies without a prover of its own ends by itself", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/script.ts`, script);
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--config", path("../../deno.json"), `${folder}/script.ts`],
      stderr: "inherit",
    }).output();
    assert.deepEqual([code, new TextDecoder().decode(stdout)], [0, "true\nfalse\n"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function path(relative: string): string {
  return decodeURIComponent(new URL(relative, import.meta.url).pathname);
}

function module(relative: string): string {
  return JSON.stringify(new URL(relative, import.meta.url).href);
}
