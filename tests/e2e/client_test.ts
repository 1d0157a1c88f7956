/** The client library on a localnet, with real proofs: races, repeated calls, refusals, cancellation. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { startTestLocalnet } from "../../testkit/localnet/test_localnet.ts";
import {
  buildWithdrawArgs,
  commitmentsFromChain,
  connect,
  createNote,
  createProver,
  depositNative,
  type DepositStep,
  MerkleTree,
  openWallet,
  Pool,
  Problem,
  type ProblemCode,
  RelayerClient,
  scanPoolTransactions,
  syncTree,
  type Wallet,
  withdrawViaRelayers,
} from "../../src/mod.ts";
import { withdrawSelf } from "../../src/client/withdrawal/self_withdrawal.ts";

const network = "localnet" as const;
const localnet = await startTestLocalnet({ blockTimeMs: 0, pools: ["1"] });
const chain = connect({ endpoint: localnet.url });
const pool = new Pool(chain, localnet.deployments.pools.get("native-1")!.address);
const prover = await createProver({ maxWorkers: 2 });
const [alice, bob] = await Promise.all(
  localnet.wallets.slice(0, 2).map(({ mnemonic, version }) =>
    openWallet(mnemonic, { version, network, chain })
  ),
);
const freshNote = () => createNote({ asset: "native", amount: "1", network });
const common = { chain, pool, network, prover, pollIntervalMs: 50 } as const;
const code = (expected: string) => (error: unknown) => error instanceof Problem && error.code === expected;

const mine = freshNote();

Deno.test("a deposit whose leaf another one took is proved and sent again automatically", async () => {
  const proving = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const steps: DepositStep[] = [];
  const slow: Wallet = { ...bob, send: async (messages) => (await taken.promise, bob.send(messages)) };
  const loser = depositNative({
    ...common,
    wallet: slow,
    note: freshNote(),
    onStep: (step) => {
      steps.push(step);
      if (step.step === "proving") proving.resolve();
    },
  });
  await proving.promise; // for leaf 0
  const winner = await depositNative({ ...common, wallet: alice, note: mine });
  taken.resolve();
  assert.deepEqual([winner.leafIndex, winner.attempts], [0, 1]);
  const { leafIndex, attempts } = await loser;
  assert.deepEqual([leafIndex, attempts], [1, 2]);
  assert.equal(steps.filter(({ step }) => step === "lost").length, 1);
  assert.equal(await pool.getNextIndex(), 2);
});

Deno.test("a note that is deposited already is found, not paid for again", async () => {
  const before = await alice.balance();
  const { attempts, leafIndex } = await depositNative({ ...common, wallet: alice, note: mine });
  assert.equal(attempts, 1);
  assert.ok(leafIndex < 2);
  assert.equal(await alice.balance(), before);
});

const misfits: [string, Parameters<typeof createNote>[0]][] = [
  ["another denomination", { asset: "native", amount: "10", network }],
  ["another network", { asset: "native", amount: "1", network: "mainnet" }],
  ["another asset", { asset: "usdt", amount: "1", network }],
];
for (const [name, of] of misfits) {
  Deno.test(`a note of ${name} is refused for deposit and for withdrawal, before anything is sent`, async () => {
    const note = createNote(of);
    const recipient = bob.address;
    await assert.rejects(depositNative({ ...common, wallet: alice, note }), code("wrong_pool"));
    const withdrawal = {
      pool,
      network,
      note,
      source: commitmentsFromChain(chain, pool.address),
      recipient,
      prover,
    };
    await assert.rejects(buildWithdrawArgs({ ...withdrawal, relayer: null, fee: 0n }), code("wrong_pool"));
  });
}

Deno.test("a cancelled deposit sends nothing", async () => {
  const before = await alice.seqno();
  const cancel = new AbortController();
  const deposit = depositNative(
    {
      ...common,
      wallet: alice,
      note: freshNote(),
      onStep: ({ step }) => step === "proving" && cancel.abort(),
    },
    { signal: cancel.signal },
  );
  await assert.rejects(deposit, code("cancelled"));
  assert.equal(await alice.seqno(), before);
});

Deno.test("a note that was never deposited cannot be withdrawn", async () => {
  const source = commitmentsFromChain(chain, pool.address);
  const request = {
    pool,
    network,
    note: freshNote(),
    source,
    recipient: bob.address,
    relayer: null,
    fee: 0n,
    prover,
  };
  await assert.rejects(buildWithdrawArgs(request), code("commitment_not_found"));
});

const unpayable: [string, Address, ProblemCode][] = [
  ["in a workchain that does not exist", Address.parse(`5:${"11".repeat(32)}`), "invalid_address"],
  ["the pool itself", pool.address, "unpayable_recipient"],
];
for (const [name, address, refused] of unpayable) {
  Deno.test(`a recipient or relayer that is ${name} is refused before anything is proved`, async () => {
    const source = commitmentsFromChain(chain, pool.address);
    const request = { pool, network, note: mine, source, prover, fee: 0n } as const;
    const prove = (recipient: Address, relayer: Address | null) =>
      buildWithdrawArgs({ ...request, recipient, relayer });
    await assert.rejects(prove(address, null), code(refused));
    await assert.rejects(prove(bob.address, address), code("invalid_address"));
  });
}

const otherPool = Address.parse(`0:${"77".repeat(32)}`);
const lost: [string, Address][] = [
  ["the zero address", new Address(0, Buffer.alloc(32))],
  ["the pool itself", pool.address],
  ["another pool that is known", otherPool],
];
for (const [name, recipient] of lost) {
  Deno.test(`a withdrawal to ${name} is refused before anything is proved, sent or asked of a relayer`, async () => {
    const request = { pool, network, note: mine, prover, recipient, blockedRecipients: [otherPool] } as const;
    const source = commitmentsFromChain(chain, pool.address);
    const refused = code("unpayable_recipient");
    await assert.rejects(buildWithdrawArgs({ ...request, source, relayer: null, fee: 0n }), refused);
    await assert.rejects(withdrawSelf({ ...request, source, chain, wallet: alice }), refused);
    const asks = () => Promise.reject(new Error("asked"));
    await assert.rejects(
      withdrawViaRelayers([new RelayerClient("http://127.0.0.1:9", { fetch: asks })], request),
      refused,
    );
  });
}

Deno.test("a source that invents, drops or reorders commitments is detected by the pool's roots", async () => {
  assert.equal((await syncTree(pool, commitmentsFromChain(chain, pool.address))).size, 2);
  const leaves: bigint[] = [];
  for await (const batch of commitmentsFromChain(chain, pool.address).commitments(0)) leaves.push(...batch);
  const lies = {
    invented: [...leaves, 5n],
    reordered: [...leaves].reverse(),
    altered: [leaves[0], leaves[1] + 1n],
  };
  for (const [lie, commitments] of Object.entries(lies)) {
    await assert.rejects(
      syncTree(pool, { commitments: () => once(commitments) }, new MerkleTree()),
      code("unknown_root"),
      lie,
    );
  }
});

Deno.test("a source without the deposits gets some time, and is then reported as incomplete", async () => {
  const honest = commitmentsFromChain(chain, pool.address);
  const request = {
    pool,
    network,
    prover,
    note: mine,
    relayer: null,
    fee: 0n,
    recipient: Address.parse(`0:${"3c".repeat(32)}`),
  };
  let requests = 0;
  const late = { commitments: (from: number) => requests++ === 0 ? once([]) : honest.commitments(from) };
  const { proof, publicSignals } = await buildWithdrawArgs({ ...request, source: late });
  assert.equal(requests, 2);
  assert.equal(await prover.verify("withdraw", proof, publicSignals), true);
  const empty = { commitments: () => once([]) };
  await assert.rejects(
    buildWithdrawArgs({ ...request, source: empty, treeTimeoutMs: 0 }),
    code("tree_incomplete"),
  );
});

Deno.test("a direct withdrawal without a relayer pays the whole denomination", async () => {
  const recipient = Address.parse(`0:${"3c".repeat(32)}`);
  const source = commitmentsFromChain(chain, pool.address);
  const args = await buildWithdrawArgs({
    pool,
    network,
    note: mine,
    source,
    recipient,
    relayer: null,
    fee: 0n,
    prover,
  });
  await pool.sendWithdraw(bob.sender(), {
    root: BigInt(args.publicSignals[0]),
    nullifierHash: mine.nullifierHash,
    fee: 0n,
    refund: 0n,
    recipient,
    relayer: null,
    proof: args.proof,
  });
  while (!await pool.getIsSpent(mine.nullifierHash)) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal((await chain.account(recipient)).balance, 1_000_000_000n);
  const kinds: string[] = [];
  for await (const { events } of scanPoolTransactions(chain, pool.address)) {
    kinds.push(...events.map(({ kind }) => kind));
  }
  assert.deepEqual(kinds.filter((kind) => kind === "withdrawal").length, 1);
  await assert.rejects(
    buildWithdrawArgs({ pool, network, note: mine, source, recipient, relayer: null, fee: 0n, prover }),
    code("nullifier_already_used"),
  );
});

Deno.test("the localnet and the prover end", async () => {
  prover.close();
  await localnet.close();
});

async function* once<T>(value: T): AsyncGenerator<T> {
  yield await Promise.resolve(value);
}
