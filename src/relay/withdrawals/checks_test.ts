import { deepEqual, equal, ok } from "node:assert/strict";
import { Address, Dictionary } from "@ton/core";
import { memoryStore } from "../../../testkit/relayer/memory_store.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import { mainnetConfig } from "../../localnet/mainnet_config.ts";
import type { Job } from "../../store/store.ts";
import type { Chain } from "../../ton/chain.ts";
import { fetchNetworkPrices } from "../../ton/network_prices.ts";
import { estimateWithdrawalCost } from "../../ton/pool/withdrawal_cost.ts";
import { Candidate, type CheckDeps } from "./candidate.ts";
import { withdrawalChecks } from "./checks.ts";
import { computeAttachedValue } from "./policy.ts";

const id = `0:${"11".repeat(32)}`;
const relayer = Address.parse(`0:${"22".repeat(32)}`);
const recipient = Address.parse(`0:${"33".repeat(32)}`);
const NULLIFIER = 9n;
const QUOTE = 400_000_000n;

const config = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), mainnetConfig());
const prices = await fetchNetworkPrices(
  { configParam: (param: number) => Promise.resolve(config.get(param)!) } as Chain,
);
const info = { assetKind: "native", deposits: 5, withdrawals: 1, debt: 0n } as const;
const cost = estimateWithdrawalCost(prices, info, { recipient: 0, relayer: 0, quote: QUOTE });

interface Given {
  readonly fee?: bigint;
  readonly refund?: bigint;
  readonly asset?: string;
  readonly maxRefund?: bigint;
  readonly to?: Address;
  readonly deps?: Partial<CheckDeps>;
}

function candidateOf(
  { fee = 50_000_000n, refund = 0n, asset = "native", maxRefund, to = recipient, deps }: Given,
): Candidate {
  const deployment = { asset, denomination: 10_000_000_000n, maxRefund } as Deployment;
  return new Candidate({
    request: { fee, refund, recipient: to, signals: { nullifierHash: NULLIFIER } },
    pool: { id, deployment, formattedAddress: id },
    deps: {
      feeBps: 50,
      feeMinNano: 0n,
      wallet: { address: relayer },
      priceCache: { getPrices: () => Promise.resolve(prices) },
      poolCache: {
        getPoolInfo: () => Promise.resolve(info),
        getWithdrawValue: () => Promise.resolve(QUOTE),
      },
      unjournaled: new Map(),
      ...deps,
    },
  } as unknown as Candidate);
}

async function accepts(name: string, candidate: Candidate): Promise<boolean> {
  const check = withdrawalChecks.find((each) => each.name === name)!;
  return await check.refusal(candidate) === undefined;
}

const job: Job = {
  pool: id,
  nullifierHash: NULLIFIER,
  state: "accepted",
  queryId: 1n,
  root: 1n,
  fee: 1n,
  refund: 0n,
  failures: 0,
  acceptedAt: 0,
};

Deno.test("a fee at the floor is accepted, a nano less is not", async () => {
  const name = "fee reaches the floor";
  const verdicts = [50_000_001n, 50_000_000n, 49_999_999n].map((fee) => accepts(name, candidateOf({ fee })));
  deepEqual(await Promise.all(verdicts), [true, true, false]);
});

Deno.test("the fee must cover a refund beyond the operator's maximum, and not one within it", async () => {
  const name = "fee covers the cost";
  const cases: [Given, boolean][] = [
    [{ fee: cost }, true],
    [{ fee: cost - 1n }, false],
    [{ fee: cost + 5n, refund: 5n }, true],
    [{ fee: cost + 4n, refund: 5n }, false],
    [{ fee: cost, refund: 5n, maxRefund: 5n }, true],
    [{ fee: cost + 5n, refund: 6n, maxRefund: 5n }, false],
  ];
  for (const [given, expected] of cases) {
    equal(await accepts(name, candidateOf(given)), expected, Deno.inspect(given));
  }
});

Deno.test("the fee must cover payouts to the masterchain, which cost more", async () => {
  const name = "fee covers the cost";
  const masterchain = Address.parse(`-1:${"33".repeat(32)}`);
  const wallet = { address: Address.parse(`-1:${"22".repeat(32)}`) } as CheckDeps["wallet"];
  for (const workchains of [{ recipient: -1, relayer: 0 }, { recipient: 0, relayer: -1 }]) {
    const fee = estimateWithdrawalCost(prices, info, { ...workchains, quote: QUOTE });
    ok(fee > cost);
    const given = {
      to: workchains.recipient === 0 ? recipient : masterchain,
      ...workchains.relayer !== 0 && { deps: { wallet } },
    };
    equal(await accepts(name, candidateOf({ ...given, fee })), true, Deno.inspect(workchains));
    equal(await accepts(name, candidateOf({ ...given, fee: fee - 1n })), false, Deno.inspect(workchains));
  }
});

Deno.test("the limit on a jetton withdrawal's cost includes the refund", async () => {
  for (const [maxCostNano, expected] of [[cost + 5n, true], [cost + 4n, false], [undefined, true]] as const) {
    const candidate = candidateOf({
      fee: 0n,
      refund: 5n,
      asset: "usdt",
      maxRefund: 5n,
      deps: { maxCostNano },
    });
    equal(await accepts("fee covers the cost", candidate), expected, String(maxCostNano));
  }
});

Deno.test("a withdrawal from a jetton pool needs two free places for claims", async () => {
  const name = "the pool's payouts are not blocked";
  for (
    const [asset, claims, expected] of [["usdt", 254, true], ["usdt", 255, false], [
      "native",
      255,
      true,
    ]] as const
  ) {
    const poolCache = {
      getPoolInfo: () => Promise.resolve({ ...info, claims }),
    } as unknown as CheckDeps["poolCache"];
    equal(
      await accepts(name, candidateOf({ asset, deps: { poolCache } })),
      expected,
      `${asset} with ${claims}`,
    );
  }
});

for (const [state, expected] of [["confirmed", false], ["superseded", false], ["failed", true]] as const) {
  Deno.test(`a note whose job is ${state} is ${expected ? "accepted" : "refused"}, though no payment is stored`, async () => {
    const store = memoryStore({ now: () => 0, shared: false })();
    const known = { ...store, job: () => Promise.resolve<Job>({ ...job, state }) };
    const name = "nullifier is in neither a payment nor a live job";
    equal(await accepts(name, candidateOf({ deps: { store: known } })), expected);
  });
}

Deno.test("a withdrawal that is in the journal already is not funded twice", async () => {
  const live = (...jobs: Job[]) => ({
    ...memoryStore({ now: () => 0, shared: false })(),
    liveJobs: () => Promise.resolve(jobs),
  });
  const other = { ...job, nullifierHash: 10n };
  const one = computeAttachedValue(QUOTE);
  const cases: [string, bigint, Job[], boolean][] = [
    ["nothing waits", one, [], true],
    ["nothing waits, a nano too little", one - 1n, [], false],
    ["it waits itself", one, [job], true],
    ["another waits", one, [other], false],
    ["another waits, with enough for both", 2n * one, [other], true],
    ["it and another wait", 2n * one, [job, other], true],
    ["another is sent already", one, [{ ...other, state: "broadcast" }], true],
  ];
  for (const [what, balance, jobs, expected] of cases) {
    const deps = { store: live(...jobs), balance: { current: () => Promise.resolve(balance) } };
    const candidate = candidateOf({ deps: deps as unknown as Partial<CheckDeps> });
    equal(await accepts("wallet can pay for it", candidate), expected, what);
  }
});

Deno.test("a wallet at its stop balance is accepted, one nano less is not, and without a stop the wallet is not queried", async () => {
  const cases: [stop: bigint, balance: bigint, expected: boolean, reads: number][] = [
    [0n, 0n, true, 0],
    [1n, 0n, false, 1],
    [5n, 5n, true, 1],
    [5n, 4n, false, 1],
  ];
  for (const [stop, held, expected, reads] of cases) {
    let requests = 0;
    const balance = { thresholds: { stop }, current: () => (requests++, Promise.resolve(held)) };
    const candidate = candidateOf({ deps: { balance } as unknown as Partial<CheckDeps> });
    equal(await accepts("wallet is above its stop", candidate), expected, `${held} of ${stop}`);
    equal(requests, reads);
  }
});

Deno.test("a proof that cannot be read is refused with its fault, and never verified", async () => {
  let verified = 0;
  const proofVerifier = { verify: () => (verified++, Promise.resolve(true)) };
  const candidate = candidateOf({ deps: { proofVerifier } as unknown as Partial<CheckDeps> });
  const check = withdrawalChecks.find(({ name }) => name === "proof verifies")!;
  for (const proof of [null, {}, { protocol: "groth16", curve: "bls12381", pi_a: [] }]) {
    const { pool, deps } = candidate;
    const refusal = await check.refusal(
      new Candidate({ pool, deps, request: { ...candidate.request, proof } }),
    );
    deepEqual([refusal?.code, refusal?.message === ""], ["proof_invalid", false], Deno.inspect(refusal));
  }
  equal(verified, 0);
});

Deno.test("caps that are reached return Retry-After, and the last count is released", async () => {
  const given: unknown[] = [];
  const hourlyCaps = {
    reserve: () => Promise.resolve({ allowed: false, retryAfter: 7 }),
    finish: (id: unknown, accepted: boolean) => (given.push([id, accepted]), Promise.resolve()),
  };
  const candidate = candidateOf({ deps: { hourlyCaps } as unknown as Partial<CheckDeps> });
  const check = withdrawalChecks.find(({ name }) => name === "hourly caps are not reached")!;
  deepEqual((await check.refusal(candidate))?.members, { retryAfter: 7 });
  await check.onFinish!(candidate, true);
  deepEqual(given, [[{ pool: id, nullifierHash: NULLIFIER }, true]]);
});
