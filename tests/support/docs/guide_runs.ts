/** The programs, deposits and answers that several tests of the guides use. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import type { Localnet } from "../../../src/localnet/localnet.ts";
import { connect, createNote, createProver, depositNative, openWallet, Pool } from "../../../src/mod.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

export async function deposit(net: Localnet): Promise<void> {
  const chain = connect({ endpoint: net.url });
  const [{ mnemonic, version }] = net.wallets;
  const network = "localnet";
  const wallet = await openWallet(mnemonic, { version, network, chain });
  const prover = await createProver({ maxWorkers: 1 });
  const pool = new Pool(chain, net.deployments.pools.get("native-1")!.address as Address);
  const note = createNote({ asset: "native", amount: "1", network });
  await depositNative({ chain, pool, network, wallet, note, prover, pollIntervalMs: 100 });
  prover.close();
}

export async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(async (response) => {
    await response.body?.cancel();
    return response.ok;
  }, () => false);
}

export async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await childCommand(command, { args, cwd, stdin: "null" }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}
