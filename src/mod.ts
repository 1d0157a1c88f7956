/**
 * The client library of tonado: notes, trees, proofs, deposits and withdrawals. It never sends a note anywhere.
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
 * const source = commitmentsFromRelayer(relayer, pool.address);
 * const args = await buildWithdrawArgs({
 *   pool, network: "testnet", note, source, recipient, relayer: relayerAddress, fee, prover,
 * });
 * await relayer.withdraw(args);
 * ```
 *
 * @module
 */
export {
  buildPayment,
  depositByTransfer,
  type DepositPayment,
  type TransferDepositRequest,
  type TransferDepositStep,
} from "./client/deposit/deposit_transfer.ts";
export {
  depositByPayer,
  type PayerDepositRequest,
  type PayerDepositStep,
} from "./client/deposit/deposit_payer.ts";
export { type Payer, type PayerSource, type PayMessage, type PayOptions } from "./client/deposit/payer.ts";
export { findNoteLeaf } from "./client/notes/note_leaf.ts";
export { type AnyPool, openPool } from "./ton/pool/any_pool.ts";
export { addressToField, settlerToField } from "./core/protocol/messages/address_field.ts";
export {
  type ComplianceReport,
  type ComplianceStatement,
  parseComplianceReport,
} from "./core/protocol/compliance.ts";
export {
  type Deployment,
  type Deployments,
  parseDeployments,
  poolKey,
  type PoolVersion,
} from "./core/protocol/deployments.ts";
export {
  type ExitCodeName,
  exitCodeName,
  exitCodes,
  Problem,
  type ProblemCode,
  type ProblemDetail,
  problems,
} from "./core/errors/problem.ts";
export type { HttpProblemCode, ProblemKind } from "./core/errors/http_problems.ts";
export { type FeePolicy, policyFloor } from "./core/protocol/fee.ts";
export { FIELD_MODULUS } from "./core/crypto/field.ts";
export {
  type AnyCircuitName,
  type CircuitName,
  type Groth16Proof,
  type ProofWithSignals,
  publicSignalNames,
} from "./core/crypto/groth16.ts";
export {
  MERKLE_TREE_HEIGHT,
  type MerklePath,
  MerkleTree,
  ROOT_HISTORY_SIZE,
} from "./core/tree/merkle_tree.ts";
export {
  type DepositBody,
  type DepositLog,
  loadDeposit,
  loadPoolLog,
  loadWithdraw,
  opCodes,
  type PoolLog,
  type RefusedPayoutLog,
  storeDeposit,
  storeRetryPayout,
  storeWithdraw,
  type WithdrawalLog,
  type WithdrawBody,
  type WithdrawParties,
} from "./core/protocol/messages/pool_messages.ts";
export { type Network, networks } from "./core/protocol/network.ts";
export {
  createNote,
  formatNote,
  type Note,
  type NotePool,
  parseNote,
  placeNote,
} from "./core/protocol/note.ts";
export {
  createNoteSeed,
  deriveNote,
  formatNoteSeed,
  type NoteSeed,
  parseNoteSeed,
  type SeedPool,
} from "./core/protocol/seed/note_seed.ts";
export { poseidon } from "./core/crypto/poseidon.ts";
export { parseProof, proofFromCell, proofToCell } from "./core/crypto/proof_codec.ts";
export { Secret } from "./core/text/secret.ts";
export { formatUnits, parseUnits } from "./core/protocol/units.ts";
export { type SettlementInput, settlementInputs } from "./core/tree/settlement.ts";
export { zeros } from "./core/tree/zeros.ts";

export { type ComplianceReportRequest, createComplianceReport } from "./client/compliance/create_report.ts";
export {
  depositNative,
  type DepositRequest,
  type DepositResult,
  type DepositStep,
} from "./client/deposit/deposit_native.ts";
export { depositJetton, type JettonDepositRequest } from "./client/deposit/deposit_jetton.ts";
export {
  type DerivedNote,
  type KnownCommitments,
  nextDerivedNote,
  recoverDerivedNotes,
  RECOVERY_GAP,
} from "./client/notes/derived_notes.ts";
export {
  createIdentity,
  identityOf,
  type NoteIdentity,
  type NoteVault,
  vaultOf,
} from "./client/notes/note_encryption.ts";
export {
  createNoteRecord,
  type NoteRecord,
  type NoteState,
  type NoteStore,
  type NoteStoreContent,
  serializeNoteStore,
  type WithdrawalAttempt,
} from "./client/notes/note_store.ts";
export { parseNoteStore } from "./client/notes/store/note_store_text.ts";
export { decryptPaperCode, encryptPaperCode } from "./client/notes/paper/paper_code.ts";
export { findPaperCodes } from "./client/notes/paper/paper_code_text.ts";
export { type NoteStorage, openStoredNotes } from "./client/notes/stored_notes.ts";
export { findNotePayment, type FindPaymentOptions, type NotePayment } from "./client/notes/note_payment.ts";
export type { PoolJetton } from "./client/notes/pool_match.ts";
export {
  waitForWithdrawal,
  type WithdrawalWaitOptions,
  type WithdrawalWaitProgress,
} from "./client/withdrawal/withdrawal_wait.ts";
export {
  findLinkability,
  type LinkabilityCode,
  linkabilityCodes,
  type LinkabilityFacts,
} from "./client/withdrawal/warnings/linkability_warnings.ts";
export { toLinkabilityFacts, type WithdrawalFacts } from "./client/withdrawal/warnings/withdrawal_facts.ts";
export {
  type RelayedWithdrawalRequest,
  type RelayedWithdrawalResult,
  type RelayerOffer,
  withdrawViaRelayers,
} from "./client/withdrawal/relayed_withdrawal.ts";
export {
  RelayerClient,
  type RelayerClientOptions,
  type RelayerMerklePath,
  type RelayerPool,
  type RelayerStatus,
  type WithdrawalStatus,
  type WithdrawArgs,
} from "./client/relayer/relayer_client.ts";
export { RelayerProblem } from "./client/relayer/relayer_problem.ts";
export { quoteRelayers, type RelayerQuote } from "./client/relayer/relayer_quotes.ts";
export {
  downloadPoolPages,
  type PageCache,
  type PoolPages,
  type PoolPagesOptions,
} from "./client/pages/pool_pages.ts";
export { checkNotesInPages, type NotePages, type NotePageStatus } from "./client/pages/note_pages.ts";
export {
  commitmentsFromChain,
  commitmentsFromRelayer,
  type CommitmentSource,
  fetchVerifiedTree,
  syncTree,
  type TreeProgress,
  type TreeSyncOptions,
} from "./client/tree_sync.ts";
export { buildWithdrawArgs, type WithdrawalRequest } from "./client/withdrawal/build_withdraw_args.ts";

export type { CheckResult } from "./core/errors/check_result.ts";
export { type ReportVerificationContext, verifyComplianceReport } from "./client/compliance/verify_report.ts";

export {
  createProver,
  type DepositInput,
  type ProofProgress,
  type ProveOptions,
  type Prover,
  type WithdrawInput,
} from "./prover/prover.ts";
export {
  type ArtifactCache,
  type ArtifactOptions,
  type ArtifactPins,
  type Artifacts,
  openArtifacts,
} from "./prover/artifacts.ts";
export { proveDeposit, proveWithdraw, verifyProof } from "./prover/default_prover.ts";

export type { AccountInfo, CallOptions, Chain, ChainTransaction, TransactionId } from "./ton/chain.ts";
export {
  Pool,
  type PoolDepositArgs,
  type PoolJettonDepositArgs,
  type PoolWithdrawArgs,
} from "./ton/pool/pool.ts";
export type { PoolInfo, ReturnedDeposit } from "./ton/pool/pool_getters.ts";
export {
  type EnqueueArgs,
  type EnqueueJettonArgs,
  type PoolWithdraw2Args,
  type SettleArgs,
  type SettleInfo,
  V2Pool,
} from "./ton/pool/v2/pool.ts";
export type {
  DepositEvent,
  PoolEvent,
  PoolEventBatch,
  RefusedEvent,
  SettlementEvent,
  SkippedEvent,
  WithdrawalEvent,
} from "./ton/pool/history/pool_events.ts";
export {
  fetchJettonWalletAddress,
  fetchJettonWalletData,
  type JettonWalletData,
} from "./ton/jetton/jetton.ts";
export { ScanCheckpoint, type ScanOptions, scanPoolTransactions } from "./ton/pool/history/scan.ts";
export { connect } from "./ton/endpoint/toncenter.ts";
export {
  openWallet,
  type OutgoingMessage,
  type SignedTransfer,
  type Wallet,
  type WalletVersion,
} from "./ton/wallet/wallet.ts";
