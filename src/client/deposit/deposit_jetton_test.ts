import { deepEqual, equal, rejects } from "node:assert/strict";
import {
  depositRefusal,
  emptyProver,
  jettonMaster,
  jettonWalletOf,
  poolAddress,
  ScriptedPool,
  type ScriptedPoolOptions,
  testAddress,
  transferNotification,
} from "../../../testkit/simulation/scripted_pool.ts";
import { int, slice } from "../../../testkit/simulation/scripted_chain.ts";
import { exitCodes } from "../../core/errors/problem.ts";
import { storeDeposit } from "../../core/protocol/messages/pool_messages.ts";
import { createNote } from "../../core/protocol/note.ts";
import { proofToCell } from "../../core/crypto/proof_codec.ts";
import { baseProof } from "../../../testkit/simulation/requests.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { assertJettonDepositFunds, assertNotBounced, depositJetton } from "./deposit_jetton.ts";

const owner = testAddress(1);
const ownWallet = jettonWalletOf(owner);
const poolWallet = jettonWalletOf(poolAddress);
const jetton = { asset: "jet", decimals: 6, jettonMaster };
const note = createNote({ asset: "jet", amount: "10", network: "localnet" });
const DENOMINATION = 10_000_000n;
const DEPOSIT_VALUE = 300_000_000n;
const NEEDED_NANO = 2n * DEPOSIT_VALUE + 50_000_000n;

function sceneWith(options: Partial<ScriptedPoolOptions> = {}, held = DENOMINATION, nano = NEEDED_NANO) {
  const scene = new ScriptedPool({
    kind: 1,
    denomination: DENOMINATION,
    depositValue: DEPOSIT_VALUE,
    ...options,
  });
  scene.getters.get_wallet_data = () => [int(held), slice(owner), slice(jettonMaster)];
  scene.accounts[owner.toRawString()] = { balance: nano };
  return scene;
}

function deposit(scene: ScriptedPool, sends: readonly (() => void)[] = [], maxAttempts?: number) {
  const left = [...sends];
  let sent = 0;
  const wallet = scene.wallet(owner, () => {
    sent++;
    left.shift()?.();
  });
  const pool = new Pool(scene.chain, poolAddress);
  const { chain, clock } = scene;
  const result = depositJetton({
    chain,
    pool,
    wallet,
    note,
    jetton,
    prover: emptyProver,
    clock,
    network: "localnet",
    pollIntervalMs: 1_000,
    random: () => 0.5,
    ...maxAttempts !== undefined && { maxAttempts },
  });
  return { result, sent: () => sent };
}

const depositBody = (leafIndex: number) =>
  transferNotification(
    owner,
    DENOMINATION,
    storeDeposit({
      queryId: 0n,
      commitment: note.commitment,
      newRoot: 1n,
      leafIndex,
      proof: proofToCell(baseProof),
    }),
  );

/** The pool refuses the deposit, and its jettons come back after `backMs`. */
function refuse(
  scene: ScriptedPool,
  exitCode: number,
  { leafIndex = 0, backMs = 2_000, from = poolWallet } = {},
) {
  scene.add(poolAddress, { from, body: depositBody(leafIndex), exitCode });
  scene.at(scene.now + backMs, () => {
    scene.add(owner, {
      from: ownWallet,
      body: transferNotification(poolAddress, DENOMINATION, depositRefusal(exitCode)),
    });
  });
}

Deno.test("a deposit of jettons is reported with the owner of the jettons as its depositor", async () => {
  const scene = sceneWith();
  const accept = () => scene.deposit(note.commitment, { from: poolWallet, body: depositBody(0) });
  const { leafIndex, attempts, depositor } = await deposit(scene, [accept]).result;
  deepEqual([leafIndex, attempts, depositor.equals(owner)], [0, 1, true]);
});

Deno.test("after another deposit took the leaf, jettons are sent again only when they have returned", async () => {
  const scene = sceneWith();
  const times: number[] = [];
  const overtaken = () => {
    times.push(scene.now);
    scene.deposit(99n);
    refuse(scene, exitCodes.ERR_STALE_DEPOSIT, { backMs: 20_000 });
  };
  const accept = () => {
    times.push(scene.now);
    scene.deposit(note.commitment, { from: poolWallet, body: depositBody(1) });
  };
  const { leafIndex, attempts } = await deposit(scene, [overtaken, accept]).result;
  deepEqual([leafIndex, attempts], [1, 2]);
  equal(times[1] - times[0], 20_500, "and half of the interval between polls");
});

for (const maxAttempts of [undefined, 1, 3]) {
  Deno.test(`a deposit whose leaf is taken each time fails after ${maxAttempts ?? 10} attempts`, async () => {
    const scene = sceneWith();
    let leafIndex = 0;
    const overtaken = () => {
      scene.deposit(BigInt(90 + leafIndex));
      refuse(scene, exitCodes.ERR_STALE_DEPOSIT, { leafIndex: leafIndex++ });
    };
    const { result, sent } = deposit(scene, Array(20).fill(overtaken), maxAttempts);
    await rejects(result, { code: "payment_timeout", message: /only gas was spent/ });
    equal(sent(), maxAttempts ?? 10);
  });
}

Deno.test("a refused deposit of jettons ends with the pool's exit code once the jettons are back", async () => {
  const scene = sceneWith();
  const { result } = deposit(scene, [() => refuse(scene, exitCodes.ERR_WRONG_DENOMINATION)]);
  await rejects(result, {
    code: "contract_refused",
    message: /refused the deposit: ERR_WRONG_DENOMINATION; the payment was returned/,
    members: { exitCode: exitCodes.ERR_WRONG_DENOMINATION },
  });
  equal(scene.now, 2_000);
});

Deno.test("jettons that do not come back are reported two minutes after the refusal, and not sooner", async () => {
  const scene = sceneWith();
  const { result } = deposit(scene, [() => refuse(scene, exitCodes.ERR_PAUSED, { backMs: Infinity })]);
  await rejects(result, {
    code: "contract_refused",
    message: /ERR_PAUSED; the jettons have not been returned yet/,
  });
  equal(scene.now, 121_000);
});

Deno.test("an exit code that is not the pool's own is reported at once, because nothing comes back", async () => {
  const scene = sceneWith();
  const { result } = deposit(scene, [() => refuse(scene, 65_535, { backMs: Infinity })]);
  await rejects(result, { code: "contract_refused", message: /exit code 65535; the jettons/ });
  equal(scene.now, 0);
});

Deno.test("a refusal of a notification from another jetton wallet, or of another owner, ends nothing", async () => {
  const scene = sceneWith();
  const forge = () => {
    refuse(scene, exitCodes.ERR_PAUSED, { from: testAddress(9) });
    const other = transferNotification(testAddress(9), DENOMINATION, depositBody(0).refs[0]);
    scene.add(poolAddress, { from: poolWallet, body: other, exitCode: exitCodes.ERR_PAUSED });
    scene.at(5_000, () => scene.deposit(note.commitment, { from: poolWallet, body: depositBody(0) }));
  };
  const { result, sent } = deposit(scene, [forge]);
  equal((await result).leafIndex, 0);
  equal(sent(), 1);
});

Deno.test("a deposit of jettons fails a minute after its transfer has expired", async () => {
  const scene = sceneWith();
  await rejects(deposit(scene).result, { code: "payment_timeout", message: /received no jettons in time/ });
  equal(scene.now, 121_000);
});

Deno.test("a transfer that the own jetton wallet refuses ends the deposit", async () => {
  const scene = sceneWith();
  const bounce = () => scene.at(3_000, () => void scene.add(owner, { from: ownWallet, bounced: true }));
  await rejects(deposit(scene, [bounce]).result, {
    code: "contract_refused",
    message: /your jetton wallet refused the transfer/,
  });
  equal(scene.now, 3_000);
});

const bounces: [name: string, from: typeof owner, bounced: boolean, isEarlier: boolean, refused: boolean][] =
  [
    ["a bounce of the own jetton wallet", ownWallet, true, false, true],
    ["an earlier bounce of it", ownWallet, true, true, false],
    ["a bounce of another wallet", testAddress(9), true, false, false],
    ["another message of the own jetton wallet", ownWallet, false, false, false],
  ];
for (const [name, from, bounced, isEarlier, refused] of bounces) {
  Deno.test(`${name} ${refused ? "is" : "is not"} a refused transfer`, async () => {
    const scene = sceneWith();
    const first = scene.add(owner, { from: testAddress(8) });
    const message = scene.add(owner, { from, bounced });
    const wallet = scene.wallet(owner);
    const check = assertNotBounced({ chain: scene.chain, wallet }, ownWallet, isEarlier ? message : first);
    await (refused ? rejects(check, { code: "contract_refused" }) : check);
  });
}

const funds: [name: string, held: bigint, nano: bigint, message?: RegExp][] = [
  ["exactly the jettons and the coins", DENOMINATION, NEEDED_NANO],
  [
    "one unit of the jetton less",
    DENOMINATION - 1n,
    NEEDED_NANO,
    /holds 9\.999999 jet, the deposit needs 10$/,
  ],
  [
    "one nano less",
    DENOMINATION,
    NEEDED_NANO - 1n,
    /holds 0\.649999999 GRAM, the deposit needs 0\.65 GRAM$/,
  ],
];
for (const [name, held, nano, message] of funds) {
  Deno.test(`a wallet with ${name} ${message ? "sends nothing" : "can deposit"}`, async () => {
    const scene = sceneWith({}, held, nano);
    const { chain } = scene;
    const matched = { denomination: DENOMINATION } as Parameters<typeof assertJettonDepositFunds>[1];
    const request = { chain, wallet: scene.wallet(owner), jetton };
    const check = assertJettonDepositFunds(request, matched, ownWallet, DEPOSIT_VALUE);
    await (message ? rejects(check, { code: "insufficient_funds", message }) : check);
  });
}

Deno.test("an owner without a jetton wallet holds no jettons", async () => {
  const scene = sceneWith();
  scene.accounts[ownWallet.toRawString()] = { state: "uninitialized" };
  const { result, sent } = deposit(scene);
  await rejects(result, { code: "insufficient_funds", message: /holds 0 jet/ });
  equal(sent(), 0);
});

const pools: [name: string, options: Partial<ScriptedPoolOptions>, expected: object][] = [
  ["does not know its jetton wallet yet", { jettonWallet: null }, {
    code: "contract_refused",
    members: { exitCode: exitCodes.ERR_JETTON_WALLET_UNKNOWN },
  }],
  ["accepts jettons from another wallet", { jettonWallet: testAddress(9) }, { code: "wrong_pool" }],
  ["holds the native coin", { kind: 0 }, { code: "wrong_pool" }],
];
for (const [name, options, expected] of pools) {
  Deno.test(`nothing is sent to a pool that ${name}`, async () => {
    const scene = sceneWith(options);
    const { result, sent } = deposit(scene);
    await rejects(result, expected);
    equal(sent(), 0);
  });
}

Deno.test("a note of the native coin is not deposited as jettons", async () => {
  const scene = sceneWith({ kind: 0, denomination: 10_000_000_000n });
  const native = createNote({ asset: "native", amount: "10", network: "localnet" });
  const pool = new Pool(scene.chain, poolAddress);
  const wallet = scene.wallet(owner);
  const request = { chain: scene.chain, pool, wallet, note: native, jetton, prover: emptyProver };
  await rejects(depositJetton({ ...request, network: "localnet" }), {
    code: "wrong_pool",
    message: /the note is for the native coin/,
  });
});

Deno.test("nothing is sent if the endpoint asks for more than 1 GRAM for a deposit's gas", async () => {
  const depositValue = 1_000_000_001n;
  const scene = sceneWith({ depositValue }, DENOMINATION, 10n * depositValue);
  const { result, sent } = deposit(scene);
  await rejects(result, {
    code: "chain_inconsistent",
    message: /asks for 1.000000001 GRAM .*, more than 1 GRAM$/,
  });
  equal(sent(), 0);
});
