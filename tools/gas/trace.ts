/** Where the gas of one message goes, read from the emulator's log of instructions. */
import type { Outcome, PoolSandbox } from "../../tests/support/pool_sandbox.ts";

interface Step {
  readonly instruction: string;
  readonly gas: number;
}

/** Parts of a message; they add up to the whole. */
export interface Parts {
  /** Dispatch, storage, and the message with its checks below the root. */
  readonly parse: number;
  /** Finding the root in the log, or putting the new one there. */
  readonly history: number;
  readonly set: number;
  readonly verify: number;
  /** Of `verify`, the curve's own instructions: what no contract can do without. */
  readonly curve: number;
  /** Fees, what is kept, the new storage, and the messages sent. */
  readonly settle: number;
}

/** Where a part ends: at an instruction of this kind, which still belongs to it, or before it. */
interface Mark {
  readonly part: Exclude<keyof Parts, "curve">;
  readonly until: RegExp;
  readonly before?: true;
}

const THROWS = (code: number) => new RegExp(`^THROWIF(NOT)? ${code}$`);
/** The set takes two bits of the key off; nothing else does. */
const SPLIT_FORK = /^SHR\/MOD 12,2$/;
const CURVE = /^BLS_/;

const marks: Readonly<Record<"deposit" | "withdraw", readonly Mark[]>> = {
  deposit: [
    { part: "parse", until: THROWS(103) },
    { part: "set", until: CURVE, before: true },
    { part: "verify", until: THROWS(201) },
    { part: "history", until: /^ENDC$/ },
  ],
  withdraw: [
    { part: "parse", until: THROWS(206) },
    { part: "history", until: SPLIT_FORK, before: true },
    { part: "set", until: THROWS(201) }, // a note is left to pay
    { part: "verify", until: THROWS(201) },
  ],
};

/** Sends a message with the log on, and splits its gas. */
export async function partsOf(
  op: keyof typeof marks,
  pool: PoolSandbox,
  send: () => Promise<Outcome>,
): Promise<Parts> {
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

/** The instructions of the pool's transaction, in order, each with its gas; calls and jumps of the layout are "implicit". */
function stepsOf({ tx, gas }: Outcome): Step[] {
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
  // The log does not say what was there at first.
  const seen = steps.reduce((sum, step) => sum + step.gas, 0);
  return [{ instruction: steps[0].instruction, gas: Number(gas) - seen }, ...steps.slice(1)];
}
