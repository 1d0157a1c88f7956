/** Loads and runs the contract tests themselves, which takes minutes: only `deno task test:all` runs this file. */
import assert from "node:assert/strict";
import { loadTestFunctions } from "./contract_tests.ts";
import type { Mutant } from "../operators.ts";
import { tryMutant } from "./trial.ts";
import { WorkerClient } from "./worker_client.ts";

Deno.test("tests of code hashes and gas figures are excluded", async () => {
  const root = new URL("../../../", import.meta.url);
  const names = (await loadTestFunctions(root, ["tests/contracts/happy_test.ts", "tests/gas/gas_test.ts"]))
    .map(({ name }) => name);
  assert.ok(
    names.includes("the debt of a deposit is never below what it burned, wherever its root lies in the log"),
  );
  assert.ok(
    !names.some((name) => /what the sources compile to|as written down|real keys/.test(name)),
    names.join(),
  );
});

Deno.test("a known fault is killed by a test of its behaviour, and one that compiles to the same code is detected", async () => {
  const root = new URL("../../../", import.meta.url);
  const file = "contracts/v1/pool_native.tolk";
  const source = await Deno.readTextFile(new URL(file, root));
  const fault = (of: string, text: string): Mutant => {
    assert.ok(source.includes(of), of);
    return {
      file,
      operator: "test",
      at: source.indexOf(of),
      length: of.length,
      text,
      line: 1,
      shows: `${of} => ${text}`,
    };
  };
  const worker = new WorkerClient();
  try {
    const { tests } = await worker.request<{ tests: { file: string; name: string }[] }>(
      { do: "load", pool: "native" },
      600_000,
    );
    const { hash } = await worker.request<{ hash: string }>(
      { do: "compile", pool: "native", mutant: null },
      600_000,
    );
    const name =
      "recipient and relayer are paid exactly, the sender gets back what is left, the pool keeps what it must (mainnet prices)";
    const index = tests.findIndex((test) => test.name === name);
    const record = {
      index,
      file: "",
      name,
      milliseconds: 1_000,
      passesUnchanged: undefined,
      kills: new Map(),
    };
    const poolTrials = [{ pool: "native" as const, hash, tests: [record] }];
    const verdict = async (mutant: Mutant) =>
      (await tryMutant(worker, mutant, poolTrials, { seen: new Set() })).verdict;
    assert.equal(
      await verdict(fault("sendCoins(sender, ", "sendCoins(msg.recipient.addr, ")),
      "killed",
    );
    assert.equal(await verdict(fault("val msg = lazy", "val  msg = lazy")), "same");
    assert.equal(await verdict(fault("val msg = lazy", "val msg == lazy")), "refused");
    assert.equal(await verdict(fault("throw ERR_NOT_SURPLUS", "throw ERR_MALFORMED")), "survived");
  } finally {
    await worker.close();
  }
});
