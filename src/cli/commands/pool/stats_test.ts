import { equal } from "node:assert/strict";
import { poolAddress, ScriptedPool } from "../../../../testkit/simulation/scripted_pool.ts";
import { withTempDirectory } from "../../../../testkit/programs/temp_directory.ts";
import { formatDeployments } from "../../../core/protocol/deployments.ts";
import type { CliContext } from "../../context.ts";
import { poolStatsCommand } from "./stats.ts";

/** Returns the line of `tonado pool stats` that says what a pool of one deposit holds. */
function holdings(kind: 0 | 1, denomination: bigint): Promise<string> {
  return withTempDirectory(async (directory) => {
    const scene = new ScriptedPool({ kind, denomination });
    scene.deposit(5n);
    let text = "";
    const output = { isTerminal: false, columns: 80, write: (part: string) => void (text += part) };
    const context = { stdout: output, stderr: output, env: {}, connect: () => scene.chain };
    const registry = `${directory}/registry.json`;
    await Deno.writeTextFile(registry, formatDeployments({ network: "testnet", pools: new Map() }));
    const flags = ["--network", "testnet", "--registry", registry, "--endpoint", "http://127.0.0.1:9"];
    await poolStatsCommand(context as unknown as CliContext)
      .parseAsync([poolAddress.toRawString(), ...flags], { from: "user" });
    return /^ *holds *(.*)$/m.exec(text)![1];
  });
}

Deno.test("amounts of a pool are in TON, or in the smallest unit of a jetton that no registry lists", async () => {
  equal(await holdings(0, 1_500_000_000n), "1 unspent note, 1.5 GRAM");
  equal(await holdings(1, 1_500_000n), "1 unspent note, 1500000 of a jetton's smallest unit");
});
