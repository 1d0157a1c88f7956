import { circuitsOfVersion, type PerCircuit } from "../../../core/crypto/groth16.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { type ArithmeticPool, openArithmeticPool } from "../../../ops/ceremony/arithmetic/pool.ts";
import { type Artifacts, openArtifacts } from "../../../prover/artifacts.ts";
import type { CeremonyFolder } from "../../../ops/ceremony/ceremony_folder.ts";
import type { CliContext } from "../../context.ts";
import { usageError } from "../../options/usage_error.ts";
import { CeremonyView } from "../../output/ceremony_view.ts";
import type { OutputOptions } from "../../output/print.ts";

export interface StepTools {
  readonly arithmetic: ArithmeticPool;
  readonly onProgress: (what: string, fraction: number) => void;
}

/** Throws `cancelled` on SIGINT or SIGTERM. */
export async function runStep<T>(
  context: CliContext,
  options: OutputOptions,
  work: (tools: StepTools, view: CeremonyView) => Promise<T>,
): Promise<T> {
  const view = new CeremonyView(context, options);
  const arithmetic = openArithmeticPool();
  try {
    const onProgress = (what: string, fraction: number) => view.showProgress(what, fraction);
    const done = work({ arithmetic, onProgress }, view);
    const interrupted = context.waitForShutdown().then(() => {
      throw new Problem(
        "cancelled",
        "the step was interrupted; run it again: only what the transcript records counts",
      );
    });
    return await Promise.race([done, interrupted]);
  } finally {
    view.clearProgress();
    arithmetic.close();
  }
}

/** Opens a folder for files that must not be there yet. Throws `invalid_config` if one is. */
export async function openUnusedOutput(
  context: CliContext,
  output: string,
  files: readonly string[],
): Promise<CeremonyFolder> {
  const folder = context.ceremonyFolder(output);
  for (const name of files) {
    if (!await folder.has(name)) continue;
    throw usageError("--output", `${output}/${name} already exists and is not replaced; name a new folder`);
  }
  await folder.assertWritable();
  return folder;
}

/** SHA-256 of this build's witness programs, which a ceremony does not change. */
export function witnessProgramPins(
  version: 1 | 2,
  artifacts: Artifacts = openArtifacts(),
): PerCircuit<string> {
  return Object.fromEntries(
    circuitsOfVersion[version].map((circuit) => [circuit, artifacts.expectedSha256(`${circuit}.wasm`)]),
  );
}
