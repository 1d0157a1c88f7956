/** What a user of the packed library does: deposits a note, rebuilds the tree, proves its withdrawal; and a large tree. */
import { Address } from "@ton/core";
import {
  buildWithdrawArgs,
  connect,
  createNote,
  createProver,
  depositNative,
  formatNote,
  fromChain,
  MerkleTree,
  openWallet,
  parseNote,
  Pool,
  Secret,
} from "tonado";

export async function depositAndProve({ endpoint, mnemonic, version, address }) {
  const network = "localnet";
  const chain = connect({ endpoint });
  const pool = new Pool(chain, Address.parse(address));
  const wallet = await openWallet(new Secret(mnemonic), { version, network, chain });
  const note = createNote({ asset: "native", amount: "1", network });
  const prover = await createProver({ workers: 2 });
  const { leafIndex } = await depositNative({ chain, pool, network, wallet, note, prover, pollMs: 100 });
  const { proof, publicSignals } = await buildWithdrawArgs({
    ...{ pool, network, prover, note: parseNote(formatNote(note)), source: fromChain(chain, pool.address) },
    ...{ recipient: wallet.address, relayer: wallet.address, fee: 50_000_000n },
  });
  const holds = await prover.verify("withdraw", proof, publicSignals);
  const altered = await prover.verify("withdraw", proof, publicSignals.with(4, "50000001"));
  prover.close();
  const tree = new MerkleTree();
  tree.appendMany(Array.from({ length: 2 ** 16 }, (_, i) => BigInt(i) ** 15n));
  return { leafIndex, holds, altered, root: String(tree.root) };
}
