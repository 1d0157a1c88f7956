/** Runs the documentation's shell blocks with bash, in a folder and with `tonado` on PATH. */
import assert from "node:assert/strict";
import type { CodeBlock } from "./code_blocks.ts";
import { sourceCommand } from "../../../testkit/programs/program.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

/** Texts of a block that do not exist in the test, and their replacements. Each must occur in the block. */
export type Substitutions = readonly (readonly [named: string, here: string])[];

/** A folder to run blocks in. */
export interface ShellFolder {
  readonly dir: string;
  /** Runs a block, which must succeed. Returns its output, including standard error. */
  run(block: CodeBlock, env?: Record<string, string>, stead?: Substitutions): Promise<string>;
  /**
   * Runs a block whose last command does not end, runs `meanwhile`, and sends SIGTERM to its process group. Returns
   * its standard output.
   */
  runWhile(
    block: CodeBlock,
    env: Record<string, string>,
    stead: Substitutions,
    meanwhile: () => Promise<void>,
  ): Promise<string>;
}

/** Prepares `dir`. @param tools folders with more programs */
export async function createShellFolder(dir: string, tools: readonly string[] = []): Promise<ShellFolder> {
  await Deno.mkdir(`${dir}/.bin`);
  const program = sourceCommand().map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(`${dir}/.bin/tonado`, `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
  await Deno.symlink(Deno.execPath(), `${dir}/.bin/deno`);
  const path = [`${dir}/.bin`, ...tools, Deno.env.get("PATH") ?? ""].join(":");
  // `timeout` leads a process group, and ends it when this process ends. With 0 seconds it sets no limit.
  const command = (text: string, env: Record<string, string>) =>
    childCommand("timeout", {
      args: ["--kill-after=5", "0", "bash", "-e", "-u", "-o", "pipefail", "-c", text],
      cwd: dir,
      clearEnv: true,
      env: { ...denoCacheEnv(), HOME: dir, PATH: path, ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return {
    dir,
    async run(block, env = {}, stead = []) {
      const { code, stdout, stderr } = await command(substitute(block, stead), env).output();
      const printed = decode(stdout) + decode(stderr);
      assert.equal(code, 0, `${block.page}:\n${block.text}${printed}`);
      return printed;
    },
    async runWhile(block, env, stead, meanwhile) {
      const child = command(substitute(block, stead), env).spawn();
      const output = child.output();
      const ended = output.then(({ code, stderr }) => {
        throw new Error(`${block.page}: ended with ${code}: ${decode(stderr)}`);
      });
      try {
        await Promise.race([meanwhile(), ended]);
      } finally {
        ended.catch(() => {});
        Deno.kill(-child.pid, "SIGTERM");
      }
      return decode((await output).stdout);
    },
  };
}

/** Returns variables that keep the runtime's cache under any HOME. */
function denoCacheEnv(): Record<string, string> {
  return { DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` };
}

function substitute({ page, text }: CodeBlock, stead: Substitutions): string {
  for (const [named, here] of stead) {
    assert.ok(text.includes(named), `${page} names ${named}`);
    text = text.replaceAll(named, here);
  }
  return text;
}
