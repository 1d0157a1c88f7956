/** Splits the gas of a message into parts, from the emulator's instruction log. */
import type { Outcome, PoolSandbox } from "../chain/pool_sandbox.ts";

interface Step {
  readonly instruction: string;
  readonly gas: number;
}

/** The parts of a message. They add up to its gas. */
export interface GasParts {
  /** Dispatch, storage, and the message with its checks before that of the root. */
  readonly parse: number;
  /** The search of the root history, or adding a root. */
  readonly history: number;
  readonly set: number;
  readonly verify: number;
  /** The curve instructions of `verify`, which no contract can avoid. */
  readonly curve: number;
  /** Fees, retained amounts, new storage, and outgoing messages. */
  readonly settle: number;
}

/** The end of a part: after or before an instruction of this kind. */
interface PartEnd {
  readonly part: Exclude<keyof GasParts, "curve">;
  readonly until: RegExp;
  readonly before?: true;
}

const THROWS = (code: number) => new RegExp(`^THROWIF(NOT)? ${code}$`);
/** Takes two bits of a key. Only the set uses this instruction. */
const SPLIT_FORK = /^SHR\/MOD 12,2$/;
const CURVE = /^BLS_/;

const marks: Readonly<Record<"deposit" | "withdraw", readonly PartEnd[]>> = {
  deposit: [
    { part: "parse", until: THROWS(103) },
    { part: "set", until: CURVE, before: true },
    { part: "verify", until: THROWS(201) },
    { part: "history", until: /^ENDC$/ },
  ],
  withdraw: [
    { part: "parse", until: THROWS(206) },
    { part: "history", until: SPLIT_FORK, before: true },
    { part: "set", until: THROWS(201) }, // the pool has a note left to pay
    { part: "verify", until: THROWS(201) },
  ],
};

/** Sends a message with the log enabled and splits its gas. */
export async function traceParts(
  op: keyof typeof marks,
  pool: PoolSandbox,
  send: () => Promise<Outcome>,
): Promise<GasParts> {
  await pool.chain.setVerbosityForAddress(pool.address, { print: false, vmLogs: "vm_logs_gas" });
  const outcome = await send();
  await pool.chain.setVerbosityForAddress(pool.address, undefined);
  const parts = { parse: 0, history: 0, set: 0, verify: 0, curve: 0, settle: 0 };
  const open = [...marks[op]];
  for (const { instruction, gas } of stepsOf(outcome)) {
    if (CURVE.test(instruction)) parts.curve += gas;
    const [mark] = open;
    const ends = mark?.until.test(instruction) ?? false;
    if (ends) open.shift();
    parts[(ends && mark.before ? open[0].part : mark?.part) ?? "settle"] += gas;
  }
  if (open.length > 0) throw new Error(`${op}: no instruction ends ${open[0].part}`);
  return parts;
}

/**
 * Returns the instructions of the pool's transaction with their gas. Calls and jumps of the layout are "implicit".
 */
function stepsOf({ tx, gasUsed: gas }: Outcome): Step[] {
  const log = (tx as { vmLogs?: string }).vmLogs ?? "";
  const steps: Step[] = [];
  let instruction = "";
  let before: number | undefined;
  for (const line of log.split("\n")) {
    const executed = /^execute (.*)$/.exec(line);
    if (executed) instruction = executed[1];
    const remaining = /^gas remaining: (\d+)$/.exec(line);
    if (!remaining) continue;
    const left = Number(remaining[1]);
    steps.push({ instruction, gas: before === undefined ? 0 : before - left });
    before = left;
  }
  // The log does not contain the initial gas.
  const seen = steps.reduce((sum, step) => sum + step.gas, 0);
  return [{ instruction: steps[0].instruction, gas: Number(gas) - seen }, ...steps.slice(1)];
}
