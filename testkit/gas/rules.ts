/** The gas of each rule that protects a pool's money: the contract's message less that of a contract without the rule. */
import { compileCached } from "../chain/compiled_contracts.ts";
import { trapdoorVerifiers } from "../chain/trapdoor_keys.ts";
import { fills } from "./fills.ts";
import { type GasFigures, gasOfMessage } from "./measure.ts";
import { openMeasuredPool, type PoolKind } from "./measured_pool.ts";

/** A rule, and the changes of the sources that remove it. */
interface MoneyRule {
  readonly name: string;
  readonly kind: PoolKind;
  /** The messages whose gas it changes. */
  readonly messages: readonly string[];
  readonly without: readonly { readonly file: string; readonly code: string; readonly replacement: string }[];
}

const WITHDRAWAL = "withdraw, newest root";
const poolFile = (kind: PoolKind) =>
  kind === "jetton" ? "contracts/v1/jetton/pool_jetton.tolk" : `contracts/v1/pool_${kind}.tolk`;

const moneyRules: readonly MoneyRule[] = [
  {
    name: "the pool returns a refused deposit itself",
    kind: "native",
    messages: ["deposit", "deposit, wrong amount"],
    without: [{
      file: poolFile("native"),
      code: `    try {
        insertPaid(body, value);
    } catch (code) {
        refuseCoins(sender, extra, code);
    }
`,
      replacement: "    insertPaid(body, value);\n",
    }],
  },
  {
    name: "a deposit prepays 40 years of its keys' storage",
    kind: "jetton",
    messages: ["deposit"],
    without: [{
      file: poolFile("jetton"),
      code: "val left = value - unpaidStorage() - prepaidStorage();",
      replacement: "val left = value - unpaidStorage();",
    }],
  },
  {
    name: "a withdrawal prepays 40 years of its keys' storage, not a constant",
    kind: "jetton",
    messages: [WITHDRAWAL],
    without: [{
      file: poolFile("jetton"),
      code: "fees - msg.refund - prepaidStorage();",
      replacement: "fees - msg.refund - REFUND_RESERVE;",
    }],
  },
  {
    name: "storage that is due and unpaid is subtracted",
    kind: "jetton",
    messages: ["deposit", WITHDRAWAL],
    without: [{
      file: "contracts/shared/jetton/prices_jetton.tolk",
      code: "return contract.getStorageDuePayment();",
      replacement: "return 0;",
    }],
  },
  {
    name: "claims lie beside the older roots (moved once in 32 deposits, as here)",
    kind: "jetton",
    messages: ["deposit"],
    without: [{
      file: poolFile("jetton"),
      code: "    tree.history.archiveWith(archive, msg.leafIndex);\n",
      replacement: "",
    }],
  },
  {
    name: "withdrawals stop while 255 claims are open",
    kind: "jetton",
    messages: [WITHDRAWAL],
    without: [{
      file: poolFile("jetton"),
      code: "    assert (jetton.claims + 2 <= MAX_OPEN_CLAIMS) throw ERR_PAYOUTS_BLOCKED;\n",
      replacement: "",
    }],
  },
  {
    name: "a refused payout bounces with its body",
    kind: "jetton",
    messages: [WITHDRAWAL],
    without: [{
      file: "contracts/shared/jetton/payouts_jetton.tolk",
      code: "bounce: BounceMode.RichBounceOnlyRootCell,",
      replacement: "bounce: BounceMode.NoBounce,",
    }],
  },
  {
    name: "the rest of the value goes with the transfers, not in a message of its own",
    kind: "jetton",
    messages: [WITHDRAWAL],
    without: [{
      file: poolFile("jetton"),
      code: "    val transferred = transferValue() + (left - gas) / transfers;\n",
      replacement:
        "    val transferred = transferValue();\n    sendCoins(sender, left - gas - GAS_TRANSFER);\n",
    }],
  },
];

const fill = fills.find(({ name }) => name === "100,000")!;

/**
 * Measures each rule at 100,000 notes. If a figure is negative, the contract would burn more gas without the
 * rule.
 */
export async function measureRules(): Promise<GasFigures> {
  const figures: GasFigures = {};
  for (const { name, kind, messages, without } of moneyRules) {
    const [pool, altered] = [
      await openMeasuredPool(kind, fill),
      await openMeasuredPool(kind, fill, { code: await compileWithout(kind, without) }),
    ];
    for (const message of messages) {
      const gas = await gasOfMessage(message, pool) - await gasOfMessage(message, altered);
      figures[`${kind}: ${message}: ${name}`] = gas;
    }
  }
  return figures;
}

async function compileWithout(kind: PoolKind, changes: MoneyRule["without"]) {
  const overrides: Record<string, string> = { ...trapdoorVerifiers };
  for (const { file, code, replacement } of changes) {
    const source = overrides[file] ?? await Deno.readTextFile(new URL(`../../${file}`, import.meta.url));
    if (!source.includes(code)) throw new Error(`${file} has no code ${code}`);
    overrides[file] = source.replaceAll(code, replacement);
  }
  return await compileCached(poolFile(kind), overrides);
}
