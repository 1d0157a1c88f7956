/**
 * One instance of the emulator for all chains of a process: to start one takes longer than most tests. It is
 * deterministic, so results are cached under a hash of all their inputs, the contract's code and state included.
 */
import { createHash } from "node:crypto";
import { Cell } from "@ton/core";
import { Executor, type IExecutor } from "@ton/sandbox";

/** Logical time that a chain adds for each transaction. */
const LT_STEP = 1_000_000n;
/** The transactions of a chain that are kept: enough for a jetton pool and a few deposits. */
const KEPT_TRANSACTIONS = 40n;
const MAX_KEPT_RESULTS = 1_000;

const create = () => Executor.create();
let instance: Promise<Executor> | undefined;
let withLibraries: { readonly hash: string; readonly instance: Promise<Executor> } | undefined;

/**
 * Returns an instance without the libraries and blocks of other messages, which stay in it
 * (`transaction_emulator_set_libs` and `_set_prev_blocks_info` in emulator/emulator-extern.cpp of ton-blockchain/ton).
 */
function instanceFor({ libs, prevBlocksInfo }: { libs?: Cell | null; prevBlocksInfo?: unknown }) {
  if (prevBlocksInfo) return create();
  if (!libs) return instance ??= create();
  const hash = libs.hash().toString("hex");
  if (withLibraries?.hash !== hash) withLibraries = { hash, instance: create() };
  return withLibraries.instance;
}

const kept = new Map<string, Promise<unknown>>();

/** Calls an instance. One that threw is not used again: emulate_with_emulator (emulator/emulator-emscripten.cpp) frees it. */
async function call<Result>(
  args: Parameters<typeof instanceFor>[0],
  run: (executor: Executor) => Promise<Result>,
): Promise<Result> {
  try {
    return await run(await instanceFor(args));
  } catch (error) {
    instance = withLibraries = undefined;
    kept.clear();
    throw error;
  }
}

function keep<Result>(args: unknown, run: () => Promise<Result>): Promise<Result> {
  const text = JSON.stringify(args, (_name, value) => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Cell ? value.hash().toString("hex") : value;
  });
  const key = createHash("sha256").update(text).digest("base64");
  let result = kept.get(key) as Promise<Result> | undefined;
  if (result === undefined) {
    if (kept.size === MAX_KEPT_RESULTS) kept.clear();
    kept.set(key, result = run());
  }
  return result;
}

export const emulator: IExecutor = {
  runTransaction: (args) => {
    const run = () => call(args, (executor) => executor.runTransaction(args));
    return args.lt > KEPT_TRANSACTIONS * LT_STEP ? run() : keep(["transaction", args], run);
  },
  runTickTock: (args) => call(args, (executor) => executor.runTickTock(args)),
  runGetMethod: (args) => keep(["get", args], () => call(args, (executor) => executor.runGetMethod(args))),
};
