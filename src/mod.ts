/**
 * The client library of tonado: notes, trees, proofs, deposits and withdrawals. Nothing else of this repository is
 * public. What this library never does: send a note anywhere.
 *
 * @example Deposit, and withdraw to a fresh address through a relayer
 * ```ts
 * const chain = connect({ endpoint });
 * const prover = await createProver();
 * const pool = new Pool(chain, address);
 * const note = createNote({ asset: "native", amount: "10", network: "testnet" });
 * // store formatNote(note), encrypted, before the next line
 * await depositNative({ chain, pool, network: "testnet", wallet, note, prover });
 *
 * const relayer = new RelayerClient("https://relayer.example");
 * const { relayerAddress } = await relayer.status();
 * const fee = await relayer.feeFloor("native-10");
 * const source = fromRelayer(relayer, pool.address);
 * const args = await buildWithdrawArgs({
 *   pool, network: "testnet", note, source, recipient, relayer: relayerAddress, fee, prover,
 * });
 * await relayer.withdraw(args);
 * ```
 *
 * @module
 */
export { addressToField } from "./core/address_field.ts";
export { type ComplianceReport, type ComplianceStatement, parseReport } from "./core/compliance.ts";
export { type Deployment, type Deployments, parseDeployments, poolKey } from "./core/deployments.ts";
export {
  type ExitCodeName,
  exitCodeName,
  exitCodes,
  Problem,
  type ProblemCode,
  type ProblemDetail,
  problems,
} from "./core/errors.ts";
export type { HttpProblemCode, ProblemKind } from "./core/http_problems.ts";
export { type FeePolicy, policyFloor } from "./core/fee.ts";
export { FIELD_MODULUS } from "./core/field.ts";
export {
  type CircuitName,
  type Groth16Proof,
  type ProofWithSignals,
  publicSignalNames,
} from "./core/groth16.ts";
export { MERKLE_TREE_HEIGHT, type MerklePath, MerkleTree, ROOT_HISTORY_SIZE } from "./core/merkle_tree.ts";
export {
  type DepositBody,
  type DepositLog,
  loadDeposit,
  loadPoolLog,
  loadWithdraw,
  opCodes,
  storeDeposit,
  storeWithdraw,
  type WithdrawalLog,
  type WithdrawBody,
  type WithdrawParties,
} from "./core/messages.ts";
export { type Network, networks } from "./core/network.ts";
export { createNote, formatNote, type Note, type NotePool, parseNote } from "./core/note.ts";
export { poseidon } from "./core/poseidon.ts";
export { parseProof, proofFromCell, proofToCell } from "./core/proof_codec.ts";
export { Secret } from "./core/secret.ts";
export { formatUnits, parseUnits } from "./core/units.ts";
export { zeros } from "./core/zeros.ts";

export { makeReport, type ReportRequest } from "./client/compliance_report.ts";
export {
  depositNative,
  type DepositRequest,
  type DepositResult,
  type DepositStep,
} from "./client/deposit.ts";
export { depositJetton, type JettonDepositRequest } from "./client/deposit_jetton.ts";
export { type NotePayment, notePayment, type PaymentOptions } from "./client/note_payment.ts";
export type { PoolJetton } from "./client/note_pool.ts";
export { type FollowOptions, untilEnded, type WaitedFor } from "./client/follow_withdrawal.ts";
export {
  checkedTree,
  type RelayedOffer,
  type RelayedRequest,
  type RelayedWithdrawal,
  withdrawThrough,
} from "./client/relayed_withdrawal.ts";
export {
  RelayerClient,
  type RelayerClientOptions,
  type RelayerPath,
  type RelayerPool,
  type RelayerStatus,
  type WithdrawalStatus,
  type WithdrawArgs,
} from "./client/relayer_client.ts";
export { RelayerProblem } from "./client/relayer_problem.ts";
export { quoteRelayers, type RelayerQuote } from "./client/relayer_quotes.ts";
export {
  type CommitmentSource,
  fromChain,
  fromRelayer,
  syncTree,
  type TreeProgress,
} from "./client/tree_sync.ts";
export { buildWithdrawArgs, type WithdrawRequest } from "./client/withdraw.ts";

export type { Check } from "./core/check.ts";
export { checkReport, type ReportCheck } from "./client/compliance_check.ts";

export {
  createProver,
  type DepositInput,
  type Progress,
  type ProveOptions,
  type Prover,
  type WithdrawInput,
} from "./prover/prover.ts";
export { proveDeposit, proveWithdraw, verifyProof } from "./prover/default_prover.ts";

export type { AccountInfo, CallOptions, Chain, ChainTransaction, TransactionId } from "./ton/chain.ts";
export {
  type DepositArgs as PoolDepositArgs,
  type JettonDepositArgs as PoolJettonDepositArgs,
  Pool,
  type PoolInfo,
  type ReturnedDeposit,
  type WithdrawArgs as PoolWithdrawArgs,
} from "./ton/pool.ts";
export type {
  DepositEvent,
  PoolEvent,
  PoolTransactions,
  RefusedEvent,
  WithdrawalEvent,
} from "./ton/pool_event.ts";
export { jettonWalletAddress, type JettonWalletData, jettonWalletData } from "./ton/jetton.ts";
export { KeptWalk, type ScanOptions, scanPoolTransactions } from "./ton/scan.ts";
export { connect } from "./ton/toncenter.ts";
export {
  openWallet,
  type OutgoingMessage,
  type SignedTransfer,
  type Wallet,
  type WalletVersion,
} from "./ton/wallet.ts";
