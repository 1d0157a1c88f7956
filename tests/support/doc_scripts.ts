/** Runs the documentation's shell blocks in a folder, with bash, as somebody would who has `tonado` on PATH. */
import assert from "node:assert/strict";
import type { Block } from "./doc_blocks.ts";
import { fromSources } from "./program.ts";

/** What a block names that only exists elsewhere, and what stands in its place; each must occur. */
export type Stead = readonly (readonly [named: string, here: string])[];

/** A folder to run blocks in, with the programs that they find. */
export interface ScriptFolder {
  readonly dir: string;
  /** Runs a block to its end, which must be 0. @returns what it wrote, standard error included */
  run(block: Block, env?: Record<string, string>, stead?: Stead): Promise<string>;
  /** Runs a block whose last command does not end: `meanwhile`, then SIGTERM to all of it. @returns its standard output */
  runWhile(
    block: Block,
    env: Record<string, string>,
    stead: Stead,
    meanwhile: () => Promise<void>,
  ): Promise<string>;
}

/** Prepares `dir`. @param tools folders with more programs */
export async function scriptFolder(dir: string, tools: readonly string[] = []): Promise<ScriptFolder> {
  await Deno.mkdir(`${dir}/.bin`);
  const program = fromSources.map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(`${dir}/.bin/tonado`, `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
  await Deno.symlink(Deno.execPath(), `${dir}/.bin/deno`);
  const path = [`${dir}/.bin`, ...tools, Deno.env.get("PATH") ?? ""].join(":");
  const command = (text: string, env: Record<string, string>, group: boolean) => {
    const bash = ["bash", "-e", "-u", "-o", "pipefail", "-c", text];
    const [first, ...rest] = group ? ["setsid", ...bash] : bash;
    return new Deno.Command(first, {
      args: rest,
      cwd: dir,
      clearEnv: true,
      env: { ...kept(), HOME: dir, PATH: path, ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
  };
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return {
    dir,
    async run(block, env = {}, stead = []) {
      const { code, stdout, stderr } = await command(inStead(block, stead), env, false).output();
      const said = decode(stdout) + decode(stderr);
      assert.equal(code, 0, `${block.page}:\n${block.text}${said}`);
      return said;
    },
    async runWhile(block, env, stead, meanwhile) {
      const child = command(inStead(block, stead), env, true).spawn();
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

/** Where the runtime keeps what it fetched, whatever HOME says. */
function kept(): Record<string, string> {
  return { DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` };
}

function inStead({ page, text }: Block, stead: Stead): string {
  for (const [named, here] of stead) {
    assert.ok(text.includes(named), `${page} names ${named}`);
    text = text.replaceAll(named, here);
  }
  return text;
}
