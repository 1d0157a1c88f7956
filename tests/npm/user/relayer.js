/** Withdraws in a page, through the packed library's RelayerClient with the browser's own fetch. */
import { Buffer } from "buffer";

globalThis.Buffer = Buffer;

const tell = (result) => fetch("/result", { method: "POST", body: JSON.stringify(result) });
try {
  const { Address } = await import("@ton/core");
  const { buildWithdrawArgs, connect, createNote, createProver, depositNative, commitmentsFromRelayer, locate } =
    await import("tonado");
  const { openWallet, Pool, RelayerClient, Secret } = await import("tonado");
  locate("/node_modules/tonado/");
  const task = await (await fetch("/task.json")).json();
  const network = "localnet";
  const chain = connect({ endpoint: task.endpoint });
  const relayer = new RelayerClient(task.relayer);
  const { relayerAddress, network: served } = await relayer.status();
  const { pools } = await relayer.pools();
  const pool = new Pool(chain, pools["native-1"].address);
  const wallet = await openWallet(new Secret(task.mnemonic), { version: task.version, network, chain });
  const note = createNote({ asset: "native", amount: "1", network });
  const prover = await createProver({ maxWorkers: 2 });
  await depositNative({ chain, pool, network, wallet, note, prover, pollIntervalMs: 100 });

  let leaves = 0;
  const fee = await relayer.feeFloor("native-1");
  const args = await buildWithdrawArgs({
    ...{ pool, network, note, prover, fee, relayer: relayerAddress },
    source: commitmentsFromRelayer(relayer, pool.address),
    recipient: Address.parse(task.recipient),
    onTreeProgress: (progress) => leaves = progress.leafCount,
  });
  await relayer.withdraw(args);
  let state = "";
  while (!["confirmed", "failed", "expired"].includes(state)) {
    ({ state } = await relayer.withdrawalStatus(pool.address, note.nullifierHash));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  prover.close();
  await tell({ served, state, fee: String(fee), hasTree: leaves > 0 });
} catch (error) {
  await tell({ error: String(error?.stack ?? error), cause: String(error?.cause) });
}
