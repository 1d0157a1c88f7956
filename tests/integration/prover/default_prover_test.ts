import assert from "node:assert/strict";
import { childCommand } from "../../../testkit/programs/child_command.ts";

/** The claim about a script, its text, and its output before it ends. */
const scripts: [claim: string, script: string, output: string][] = [
  [
    "proves and verifies",
    `
      const { proof, publicSignals } = await proveDeposit(depositProverInput());
      console.log(await verifyProof("deposit", proof, publicSignals));
      console.log(await verifyProof("deposit", proof, publicSignals.toReversed()));
    `,
    "true\nfalse\n",
  ],
  [
    "gives inputs that cannot be sent to a worker",
    `
      const input = { ...depositProverInput(), newRoot: () => 1n };
      for (let i = 0; i < 2; i++) await proveDeposit(input).catch(({ code }) => console.log(code));
    `,
    "invalid_request\ninvalid_request\n",
  ],
  [
    "gives such inputs to a worker that has worked before",
    `
      await proveDeposit({ ...depositProverInput(), leafIndex: 6 }).catch(({ code }) => console.log(code));
      await proveDeposit({ ...depositProverInput(), newRoot: () => 1n }).catch(({ code }) => console.log(code));
    `,
    "constraints_unsatisfied\ninvalid_request\n",
  ],
];

const imports = `
  import { depositProverInput } from ${module("../../../testkit/circuits/prover_inputs.ts")};
  import { proveDeposit, verifyProof } from ${module("../../../src/prover/default_prover.ts")};
`;

/** Much longer than any script runs. */
const HUNG_MS = 60_000;

for (const [claim, script, output] of scripts) {
  Deno.test(`a script without a prover of its own that ${claim} ends by itself`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/script.ts`, imports + script);
      const { code, stdout } = await childCommand(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--config", path("../../../deno.json"), `${folder}/script.ts`],
        stderr: "inherit",
        signal: AbortSignal.timeout(HUNG_MS),
      }).output();
      assert.deepEqual([code, new TextDecoder().decode(stdout)], [0, output]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

function path(relative: string): string {
  return decodeURIComponent(new URL(relative, import.meta.url).pathname);
}

function module(relative: string): string {
  return JSON.stringify(new URL(relative, import.meta.url).href);
}
