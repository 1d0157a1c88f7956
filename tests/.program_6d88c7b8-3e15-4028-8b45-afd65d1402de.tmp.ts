import { Address } from "@ton/core";
import {
  buildWithdrawArgs,
  connect,
  createNote,
  createProver,
  depositNative,
  formatNote,
  fromRelayer,
  openWallet,
  parseNote,
  Pool,
  RelayerClient,
  Secret,
} from "../src/mod.ts"; // src/mod.ts, under this name in your import map

const env = (name: string) => Deno.env.get(name) ?? "";
const network = "localnet";

// Who is asked: a chain endpoint that speaks toncenter v2, and a relayer.
const chain = connect({ endpoint: env("ENDPOINT"), apiKey: env("API_KEY") || undefined });
const relayer = new RelayerClient(env("RELAYER"));
const { pools } = await relayer.pools();
const pool = new Pool(chain, pools["native-1"].address);

// The note is the money: store it, encrypted, before anything is sent.
const note = createNote({ asset: "native", amount: "1", network });
const stored = formatNote(note);

// Proofs are made on worker threads.
const prover = await createProver();

// Deposit. A leaf that another deposit took in the meantime is proved and sent again by itself.
const mnemonic = new Secret(env("MNEMONIC"));
const wallet = await openWallet(mnemonic, { version: "v4R2", network, chain });
const { leafIndex } = await depositNative({ chain, pool, network, wallet, note, prover });
console.log(`deposited as leaf ${leafIndex}`);

// Withdraw, better later than sooner. The tree is rebuilt here, so that the relayer does not learn which leaf is ours, and
// its root is checked against the pool itself.
const { relayerAddress } = await relayer.status();
const fee = await relayer.feeFloor("native-1");
const args = await buildWithdrawArgs({
  pool,
  network,
  note: parseNote(stored),
  source: fromRelayer(relayer, pool.address),
  recipient: Address.parse(env("RECIPIENT")),
  relayer: relayerAddress,
  fee,
  prover,
});
await relayer.withdraw(args);

// Sent is not paid: poll until it is confirmed.
for (let state = ""; state !== "confirmed";) {
  ({ state } = await relayer.withdrawStatus(pool.address, note.nullifierHash));
  if (state === "failed" || state === "expired") throw new Error(`withdrawal ${state}`);
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
console.log("withdrawn");
prover.close();
