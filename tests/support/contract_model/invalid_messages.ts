/**
 * The ways in which a deposit or withdrawal can be invalid, with the exit code that SPEC.md assigns to each.
 */
import { Address, beginCell, type Cell } from "@ton/core";
import { addressToField } from "../../../src/core/protocol/messages/address_field.ts";
import type { ExitCodeName } from "../../../src/core/errors/problem.ts";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import {
  type DepositBody,
  storeDeposit,
  storeWithdraw,
  type WithdrawBody,
} from "../../../src/core/protocol/messages/pool_messages.ts";
import type { PoolModel } from "./pool_model.ts";
import { forgeProof, proofCell } from "../../../testkit/chain/trapdoor_keys.ts";

export type DepositFields = Omit<DepositBody, "proof">;
export type WithdrawFields = Omit<WithdrawBody, "proof">;

/**
 * Returns a message that the pool must reject and the exit code; undefined if the case is impossible in this state.
 */
type InvalidMessage<T> = (honest: T, model: PoolModel, pool: Address) => [Cell, ExitCodeName] | undefined;

/** Returns the public signals of a deposit. */
export const depositSignals = (
  { newRoot, commitment, leafIndex }: DepositFields,
  root: bigint,
) => [root, newRoot, commitment, BigInt(leafIndex)];

/** Returns the public signals of a withdrawal. */
export const withdrawSignals = ({ root, nullifierHash, recipient, relayer, fee, refund }: WithdrawFields) => [
  root,
  nullifierHash,
  addressToField(recipient),
  addressToField(relayer),
  fee,
  refund,
];

/** Returns a deposit whose proof is valid for a tree with this root. */
export function provenDeposit(fields: DepositFields, root: bigint): Cell {
  return storeDeposit({ ...fields, proof: forgeProof(depositSignals(fields, root)) });
}

/** Returns a withdrawal with a valid proof. */
export function provenWithdrawal(fields: WithdrawFields): Cell {
  return storeWithdraw({ ...fields, proof: forgeProof(withdrawSignals(fields)) });
}

const noPoints = proofCell(new Uint8Array(48), new Uint8Array(48), new Uint8Array(96));
const longer = (body: Cell) => beginCell().storeSlice(body.beginParse()).storeBit(0).endCell();
const oneReference = (body: Cell) => beginCell().storeBits(body.bits).storeRef(body.refs[0]).endCell();

/** Returns a deposit that is altered after proving. */
const alteredDeposit =
  (alter: (honest: DepositFields) => Partial<DepositFields>): InvalidMessage<DepositFields> =>
  (honest, { root }) => {
    const proof = forgeProof(depositSignals(honest, root));
    return [storeDeposit({ ...honest, ...alter(honest), proof }), "ERR_PROOF_INVALID"];
  };

export const invalidDeposits: Readonly<Record<string, InvalidMessage<DepositFields>>> = {
  "the leaf before": (honest, { root }) =>
    honest.leafIndex === 0
      ? undefined
      : [provenDeposit({ ...honest, leafIndex: honest.leafIndex - 1 }, root), "ERR_STALE_DEPOSIT"],
  "a leaf ahead": (honest, { root }) => [
    provenDeposit({ ...honest, leafIndex: honest.leafIndex + 1 }, root),
    "ERR_STALE_DEPOSIT",
  ],
  "a commitment again": (honest, { root, deposited }) =>
    deposited.length === 0
      ? undefined
      : [provenDeposit({ ...honest, commitment: deposited[0] }, root), "ERR_DUPLICATE_COMMITMENT"],
  "a commitment and r": (honest, { root }) => [
    storeDeposit({
      ...honest,
      commitment: honest.commitment + FIELD_MODULUS,
      proof: forgeProof(depositSignals(honest, root)),
    }),
    "ERR_NOT_IN_FIELD",
  ],
  "another commitment": alteredDeposit(({ commitment }) => ({
    commitment: (commitment + 1n) % FIELD_MODULUS,
  })),
  "another root": alteredDeposit(({ newRoot }) => ({ newRoot: (newRoot + 1n) % FIELD_MODULUS })),
  "proven for the tree before": (honest, { roots }) =>
    roots.length < 2 ? undefined : [provenDeposit(honest, roots.at(-2)!), "ERR_PROOF_INVALID"],
  "no points": (honest) => [storeDeposit({ ...honest, proof: noPoints }), "ERR_PROOF_INVALID"],
  "a bit more": (honest, { root }) => [longer(provenDeposit(honest, root)), "ERR_MALFORMED"],
};

/** Returns a withdrawal that is altered after proving. */
const alteredWithdrawal = (
  alter: (honest: WithdrawFields, model: PoolModel) => Partial<WithdrawFields>,
): InvalidMessage<WithdrawFields> =>
(honest, model) => {
  const proof = forgeProof(withdrawSignals(honest));
  return [storeWithdraw({ ...honest, ...alter(honest, model), proof }), "ERR_PROOF_INVALID"];
};

/** Returns an invalid withdrawal with a proof that is valid for it. */
const provenFault = (
  change: (honest: WithdrawFields, model: PoolModel, pool: Address) => Partial<WithdrawFields> | undefined,
) =>
(code: ExitCodeName): InvalidMessage<WithdrawFields> =>
(honest, model, pool) => {
  const changed = change(honest, model, pool);
  return changed && [provenWithdrawal({ ...honest, ...changed }), code];
};

const elsewhere = new Address(1, Buffer.alloc(32, 0x31));
const another = new Address(0, Buffer.alloc(32, 0x32));

export const invalidWithdrawals: Readonly<Record<string, InvalidMessage<WithdrawFields>>> = {
  "a nullifier again": provenFault((_, { spent }) =>
    spent.length === 0 ? undefined : { nullifierHash: spent[spent.length >> 1] }
  )("ERR_ALREADY_SPENT"),
  "the 31st root": provenFault((_, { roots, deposits }) =>
    deposits < 31 ? undefined : { root: roots.at(-31)! }
  )("ERR_UNKNOWN_ROOT"),
  "no root of this pool": provenFault((_, model) => ({ root: model.element() }))("ERR_UNKNOWN_ROOT"),
  "the empty tree's root": provenFault((_, { roots, deposits }) =>
    deposits === 0 ? undefined : { root: roots[0] }
  )("ERR_UNKNOWN_ROOT"),
  "a root and r": (honest) => [
    storeWithdraw({
      ...honest,
      root: honest.root + FIELD_MODULUS,
      proof: forgeProof(withdrawSignals(honest)),
    }),
    "ERR_NOT_IN_FIELD",
  ],
  "a nullifier and r": (honest) => [
    storeWithdraw({
      ...honest,
      nullifierHash: honest.nullifierHash + FIELD_MODULUS,
      proof: forgeProof(withdrawSignals(honest)),
    }),
    "ERR_NOT_IN_FIELD",
  ],
  "another nullifier": alteredWithdrawal((_, model) => ({ nullifierHash: model.element() })),
  "another fee": alteredWithdrawal(({ fee }) => ({ fee: fee + 1n })),
  "another refund": alteredWithdrawal(({ refund }) => ({ refund: refund + 1n })),
  "another recipient": alteredWithdrawal(() => ({ recipient: another })),
  "another relayer": alteredWithdrawal(() => ({ relayer: another })),
  "another known root": (honest, model, pool) => {
    const root = model.known.find((known) => known !== honest.root);
    return root === undefined ? undefined : alteredWithdrawal(() => ({ root }))(honest, model, pool);
  },
  "no points": (honest) => [storeWithdraw({ ...honest, proof: noPoints }), "ERR_PROOF_INVALID"],
  "a bit more": (honest) => [longer(provenWithdrawal(honest)), "ERR_MALFORMED"],
  "a reference less": (honest) => [oneReference(provenWithdrawal(honest)), "ERR_MALFORMED"],
  "a fee above the note": provenFault((_, { denomination }) => ({
    fee: denomination + 1n,
    relayer: another,
  }))(
    "ERR_FEE_TOO_HIGH",
  ),
  "a fee for nobody": provenFault(() => ({ fee: 1n, relayer: null }))("ERR_FEE_TOO_HIGH"),
  "a recipient elsewhere": provenFault(() => ({ recipient: elsewhere }))("ERR_BAD_ADDRESS"),
  "a relayer elsewhere": provenFault(() => ({ relayer: elsewhere }))("ERR_BAD_ADDRESS"),
  "the pool as recipient": provenFault((_, __, pool) => ({ recipient: pool }))("ERR_BAD_ADDRESS"),
  "the pool as relayer": provenFault((_, __, pool) => ({ relayer: pool }))("ERR_BAD_ADDRESS"),
};

/**
 * Codes of checks that follow the proof. A withdrawal with an invalid proof fails with ERR_PROOF_INVALID before them.
 */
export const codesCheckedAfterProof: readonly ExitCodeName[] = [
  "ERR_FEE_TOO_HIGH",
  "ERR_BAD_ADDRESS",
  "ERR_INSUFFICIENT_VALUE",
];
