/** Uses the packed library: deposits a note, withdraws it, shows reports of both, and builds a large tree. */
import { Address } from "@ton/core";
import {
  buildWithdrawArgs,
  verifyComplianceReport,
  connect,
  createNote,
  createProver,
  depositNative,
  formatNote,
  commitmentsFromChain,
  createComplianceReport,
  MerkleTree,
  openWallet,
  parseNote,
  parseComplianceReport,
  Pool,
  Secret,
  syncTree,
} from "tonado";

export async function depositAndProve({ endpoint, mnemonic, version, address }) {
  const network = "localnet";
  const chain = connect({ endpoint });
  const pool = new Pool(chain, Address.parse(address));
  const wallet = await openWallet(new Secret(mnemonic), { version, network, chain });
  const note = createNote({ asset: "native", amount: "1", network });
  const prover = await createProver({ maxWorkers: 2 });
  const { leafIndex } = await depositNative({ chain, pool, network, wallet, note, prover, pollIntervalMs: 100 });
  const { proof, publicSignals } = await buildWithdrawArgs({
    ...{ pool, network, prover, note: parseNote(formatNote(note)), source: commitmentsFromChain(chain, pool.address) },
    ...{ recipient: wallet.address, relayer: wallet.address, fee: 50_000_000n },
  });
  const holds = await prover.verify("withdraw", proof, publicSignals);
  const altered = await prover.verify("withdraw", proof, publicSignals.with(4, "50000001"));
  const [root, nullifierHash] = publicSignals.map(BigInt);
  const parties = { recipient: wallet.address, relayer: wallet.address, fee: 50_000_000n, refund: 0n };
  await pool.sendWithdraw(wallet.sender(), { root, nullifierHash, ...parties, proof });
  while (!await pool.getIsSpent(nullifierHash)) await new Promise((resolve) => setTimeout(resolve, 100));
  const report = await createComplianceReport({ pool, network, note, prover, purpose: "a bank", now: Date.now() });
  const against = { chain, deployments: { network, pools: new Map() }, prover };
  const verdicts = async (shown) => (await verifyComplianceReport(shown, against)).map(({ verdict }) => verdict);
  const shown = await verdicts(parseComplianceReport(JSON.parse(JSON.stringify(report))));
  const [forged] = await verdicts({ ...report, statement: { ...report.statement, purpose: "another" } });
  prover.close();
  return { leafIndex, holds, altered, shown, forged, ...await largeTree(pool) };
}

/** Builds a tree of invented leaves, which the pool does not know. */
async function largeTree(pool) {
  const source = {
    async *commitments(from) {
      for (let first = from; first < 2 ** 16; first += 4_096) {
        yield Array.from({ length: 4_096 }, (_, i) => BigInt(first + i) ** 15n);
      }
    },
  };
  const tree = new MerkleTree();
  const refused = await syncTree(pool, source, tree).then(() => undefined, ({ code }) => code);
  return { refused, root: String(tree.root) };
}
