import { circuitsOf } from "../../../core/crypto/groth16.ts";
import type { CeremonyFolder } from "../../../ops/ceremony/ceremony_folder.ts";
import { memoryFolder } from "../../../ops/ceremony/rehearsal/memory_folder.ts";
import {
  type Rehearsal,
  rehearseCeremony,
  type RehearsedStep,
} from "../../../ops/ceremony/rehearsal/rehearsal.ts";
import type { CliContext } from "../../context.ts";
import type { OutputOptions } from "../../output/print.ts";
import { openUnusedOutput, runStep, witnessProgramPins } from "./run_step.ts";

export interface RehearseOptions extends OutputOptions {
  readonly poolVersion: 1 | 2;
  readonly output?: string;
}

const outputNames = {
  ceremony: "ceremony",
  keys: "keys",
  plan: "plan.json",
  powers: "powers.ptau",
  circuits: "circuits",
} as const;

export async function rehearse(context: CliContext, options: RehearseOptions): Promise<void> {
  const { output } = options;
  if (output !== undefined) await openUnusedOutput(context, output, Object.values(outputNames));
  const folderFor = (name: string) =>
    output === undefined ? memoryFolder() : context.ceremonyFolder(`${output}/${name}`);
  await runStep(context, options, async (tools, view) => {
    const steps: RehearsedStep[] = [];
    const rehearsal = await rehearseCeremony({
      ...tools,
      folder: folderFor(outputNames.ceremony),
      keysFolder: folderFor(outputNames.keys),
      programPins: witnessProgramPins(options.poolVersion),
      onStep: (step) => {
        steps.push(step);
        view.showRehearsedStep(step);
      },
    });
    if (output !== undefined) await writeInputs(context.ceremonyFolder(output), rehearsal);
    view.showRehearsed(steps, rehearsal, output);
  });
}

async function writeInputs(folder: CeremonyFolder, { plan, powers, r1cs }: Rehearsal): Promise<void> {
  await folder.write(outputNames.plan, new TextEncoder().encode(`${JSON.stringify(plan, null, 2)}\n`));
  await folder.write(outputNames.powers, powers);
  for (const circuit of circuitsOf(r1cs)) {
    await folder.write(`${outputNames.circuits}/${circuit}.r1cs`, r1cs[circuit]);
  }
}
