/** What `tonado ceremony` says: progress on standard error, results on standard output, as text or as JSON. */
import { Problem } from "../core/errors.ts";
import type { WrittenKeys } from "../ops/ceremony/keys.ts";
import { lastHash, type Transcript } from "../ops/ceremony/transcript.ts";
import type { Check } from "../core/check.ts";
import { counted } from "../core/units.ts";
import { colours, stageLine } from "./style.ts";
import { oneLine } from "./terminal_text.ts";
import type { Wiring } from "./wiring.ts";

/** What every subcommand takes. */
export interface CeremonyOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** One command's voice. */
export class CeremonyTalk {
  readonly #wiring: Wiring;
  readonly #options: CeremonyOptions;
  readonly #line;

  constructor(wiring: Wiring, options: CeremonyOptions) {
    this.#wiring = wiring;
    this.#options = options;
    this.#line = stageLine(wiring.stderr, options);
  }

  progress(what: string, fraction: number): void {
    this.#line.update(what, fraction);
  }

  clear(): void {
    this.#line.clear();
  }

  begun(directory: string, transcript: Transcript): void {
    this.#report(
      { directory, hash: lastHash(transcript), powers: transcript.powers, circuits: transcript.circuits },
      `begun in ${directory}\ntranscript ${
        lastHash(transcript)
      }\nnext: tonado ceremony contribute ${directory} --name <name>`,
    );
  }

  contributed(transcript: Transcript): void {
    const { contributions } = transcript;
    const entry = contributions[contributions.length - 1];
    const { withdraw, deposit } = entry.keys;
    this.#report(
      { contributions: contributions.length, ...entry },
      `${entry.kind} ${contributions.length} by ${entry.name}\n` +
        `  withdraw ${withdraw.contributionHash}\n  deposit  ${deposit.contributionHash}\n` +
        `transcript ${entry.hash}\n` +
        (entry.kind === "beacon"
          ? "next: tonado ceremony finalize"
          : "publish these hashes where others can find them, and hand the folder on"),
    );
  }

  checked(checks: readonly Check[]): void {
    const holds = checks.every(({ verdict }) => verdict !== "failed");
    this.clear();
    if (this.#options.json) {
      this.#wiring.stdout.write(JSON.stringify({ verified: holds, checks }) + "\n");
    } else {
      const c = colours(this.#wiring.stdout, this.#wiring.env);
      const marks = { ok: c.green("ok    "), warning: c.yellow("note  "), failed: c.red("FAILED") };
      for (const { name, verdict, detail } of checks) {
        if (this.#options.quiet && verdict === "ok") continue;
        this.#wiring.stdout.write(`  ${marks[verdict]} ${name.padEnd(21)} ${oneLine(detail)}\n`);
      }
    }
    this.refuseFailed(checks);
  }

  /** @throws {Problem} `invalid_ceremony` with every check that failed */
  refuseFailed(checks: readonly Check[]): void {
    const failed = checks.filter(({ verdict }) => verdict === "failed");
    if (failed.length === 0) return;
    const errors = failed.map(({ name, detail }) => ({ pointer: name, detail }));
    throw new Problem("invalid_ceremony", undefined, { errors });
  }

  finalized(output: string, keys: WrittenKeys): void {
    const files = Object.entries(keys.files).map(([name, hash]) => `  ${hash}  ${name}`).join("\n");
    this.#report(
      { output, ...keys },
      `${keys.label}\nvkeyHash ${keys.vkeyHash}\n${files}\n` +
        `next, in a checkout: cp -r ${output}/. . && deno task contracts && deno task keys:check`,
    );
  }

  exported(output: string, { contributions }: Transcript): void {
    const closed = contributions.at(-1)?.kind === "beacon";
    this.#report(
      { output, contributions: contributions.length, closed },
      `keys after ${counted(contributions.length, "contribution")} in ${output}` +
        (closed ? "" : "; the ceremony is open: not for money"),
    );
  }

  #report(members: object, text: string): void {
    this.clear();
    if (this.#options.json) this.#wiring.stdout.write(JSON.stringify(members) + "\n");
    else if (!this.#options.quiet) this.#wiring.stdout.write(`${text}\n`);
  }
}
