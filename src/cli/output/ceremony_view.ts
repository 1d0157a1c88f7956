import { circuitsOf } from "../../core/crypto/groth16.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { WrittenKeys } from "../../ops/keys/key_export.ts";
import {
  closingBeacon,
  entryName,
  keyEntries,
  lastHash,
  type Transcript,
} from "../../ops/ceremony/transcript/transcript.ts";
import type { Rehearsal, RehearsedStep } from "../../ops/ceremony/rehearsal/rehearsal.ts";
import type { CheckResult } from "../../core/errors/check_result.ts";
import { pluralize } from "../../core/protocol/units.ts";
import { colours, stageProgressLine } from "./progress.ts";
import { escapeLine } from "./sanitize.ts";
import type { CliContext } from "../context.ts";
import { type OutputOptions, printResult } from "./print.ts";

const CIRCUIT_COLUMNS = 8;

export class CeremonyView {
  readonly #progress;

  constructor(private readonly context: CliContext, private readonly options: OutputOptions) {
    this.#progress = stageProgressLine(context.stderr, options);
  }

  showProgress(what: string, fraction: number): void {
    this.#progress.update(what, fraction);
  }

  clearProgress(): void {
    this.#progress.clear();
  }

  showStarted(directory: string, transcript: Transcript): void {
    this.#printResult(
      { directory, hash: lastHash(transcript), powers: transcript.powers, circuits: transcript.circuits },
      `begun in ${directory}\ntranscript ${
        lastHash(transcript)
      }\nnext: tonado ceremony announce ${directory} --source <name> --round <n>`,
    );
  }

  showSigningKey(file: string, publicKey: string): void {
    if (this.options.quiet && !this.options.json) return this.context.stdout.write(`${publicKey}\n`);
    this.#printResult(
      { file, publicKey },
      `signing key written to ${file}\npublic key ${publicKey}\n` +
        "next: send the public key to the coordinator, who lists it in artifacts/ceremony.json",
    );
  }

  showEntry(transcript: Transcript): void {
    const last = transcript.entries.length - 1;
    const entry = transcript.entries[last];
    const name = entryName(transcript, last);
    const text = entry.kind === "announcement"
      ? `${name}: ${entry.source}, round ${entry.round}, 2^${entry.exponent} iterations\n`
      : `${name}${entry.kind === "beacon" ? "" : ` by ${entry.name}`}\n` +
        circuitsOf(entry.keys).map((circuit) =>
          `  ${circuit.padEnd(CIRCUIT_COLUMNS)} ${entry.keys[circuit].contributionHash}\n`
        ).join("");
    this.#printResult(
      { entries: transcript.entries.length, ...entry },
      `${text}transcript ${entry.hash}\n` +
        (entry.kind === "beacon"
          ? "next: tonado ceremony finalize"
          : "next: publish the hashes, and pass the folder to the next contributor"),
    );
  }

  showChecks(checks: readonly CheckResult[]): void {
    const holds = checks.every(({ verdict }) => verdict !== "failed");
    this.clearProgress();
    if (this.options.json) {
      this.context.stdout.write(JSON.stringify({ verified: holds, checks }) + "\n");
    } else {
      const c = colours(this.context.stdout, this.context.env);
      const marks = { ok: c.green("ok    "), warning: c.yellow("note  "), failed: c.red("FAILED") };
      for (const { name, verdict, detail, fault } of checks) {
        if (this.options.quiet && verdict === "ok") continue;
        const text = fault === undefined ? detail : `${detail} [${fault}]`;
        this.context.stdout.write(`  ${marks[verdict]} ${name.padEnd(21)} ${escapeLine(text)}\n`);
      }
    }
    this.assertNoneFailed(checks);
  }

  assertNoneFailed(checks: readonly CheckResult[]): void {
    const failed = checks.filter(({ verdict }) => verdict === "failed");
    if (failed.length === 0) return;
    const errors = failed.map(({ name, detail }) => ({ pointer: name, detail }));
    throw new Problem("invalid_ceremony", undefined, { errors });
  }

  showFinalized(output: string, keys: WrittenKeys): void {
    const files = Object.entries(keys.files).map(([name, hash]) => `  ${hash}  ${name}`).join("\n");
    this.#printResult(
      { output, ...keys },
      `${keys.label}\nvkeyHash ${keys.vkeyHash}\n${files}\n` +
        `next, in a checkout: cp -r ${output}/. . && deno task contracts && deno task keys:check`,
    );
  }

  showExported(output: string, transcript: Transcript): void {
    const closed = closingBeacon(transcript) !== undefined;
    const contributions = keyEntries(transcript).length;
    this.#printResult(
      { output, contributions, closed },
      `keys after ${pluralize(contributions, "contribution")} in ${output}` +
        (closed ? "" : "; the ceremony is open: not for money"),
    );
  }

  showRehearsedStep({ name, detail }: RehearsedStep): void {
    this.clearProgress();
    if (this.options.json || this.options.quiet) return;
    const { green } = colours(this.context.stdout, this.context.env);
    this.context.stdout.write(`  ${green("ok    ")} ${name.padEnd(21)} ${escapeLine(detail)}\n`);
  }

  showRehearsed(steps: readonly RehearsedStep[], { checks, keys }: Rehearsal, output?: string): void {
    const kept = output === undefined ? "nothing was written" : `kept in ${output}`;
    this.#printResult(
      { rehearsed: true, steps, checks, label: keys.label, output: output ?? null },
      `\nThe rehearsal passed; ${kept}. Its keys are insecure: do not use them.`,
    );
  }

  #printResult(members: object, text: string): void {
    this.clearProgress();
    printResult(this.context, this.options, members, text);
  }
}
