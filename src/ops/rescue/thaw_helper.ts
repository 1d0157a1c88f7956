/** The contract that sends a frozen pool's state where a wallet cannot (contracts/shared/rescue.tolk). */
import { type Address, beginCell, Cell, contractAddress, Dictionary, type StateInit } from "@ton/core";
import rescue from "../../../artifacts/contracts/rescue.json" with { type: "json" };
import { MAX_EXTERNAL_MESSAGE_BYTES } from "../../ton/wallet/wallet.ts";

const OP_STORE_PIECE = 0x1bd6efa7; // op codes of contracts/shared/rescue.tolk
const OP_THAW = 0x1f05be34;
const OP_CLOSE = 0x0f5c073f;

/** Sent with each piece, in nano: gas, and storage until the pool is thawed. The rest goes to the pool. */
export const PIECE_VALUE_NANO = 100_000_000n;
/** A piece leaves room in a wallet's message for the wallet's and the helper's StateInit. */
export const MAX_PIECE_BYTES = MAX_EXTERNAL_MESSAGE_BYTES - 4_096;
const MAX_SUBTREES = 4;

interface ThawParts {
  /** Each has up to four subtrees of the state as references. */
  readonly pieces: readonly Cell[];
  readonly plan: Cell; // how the helper assembles the state from the pieces
}

const HELPER_CODE = Cell.fromBase64(rescue.codeBoc64);

/** Returns the helper's initial state. There is one helper per pool and owner, so a stopped rescue can go on. */
export function rescueHelperInit(
  owner: Address,
  pool: Address,
  code = HELPER_CODE,
): Required<Pick<StateInit, "code" | "data">> {
  const data = beginCell().storeAddress(owner).storeAddress(pool).storeBit(false).endCell();
  return { code, data };
}

export function rescueHelperAddress(owner: Address, pool: Address): Address {
  return contractAddress(0, rescueHelperInit(owner, pool));
}

export function storedPieces(data: Cell): Dictionary<number, Cell> {
  const slice = data.beginParse();
  slice.loadAddress();
  slice.loadAddress();
  return slice.loadDict(Dictionary.Keys.Uint(8), Dictionary.Values.Cell());
}

export function storePieceBody(index: number, piece: Cell): Cell {
  return beginCell().storeUint(OP_STORE_PIECE, 32).storeUint(0, 64).storeUint(index, 8).storeRef(piece)
    .endCell();
}

export function thawBody(plan: Cell): Cell {
  return beginCell().storeUint(OP_THAW, 32).storeUint(0, 64).storeRef(plan).endCell();
}

export function closeBody(): Cell {
  return beginCell().storeUint(OP_CLOSE, 32).storeUint(0, 64).endCell();
}

/** Splits a cell into pieces that a wallet can send, and the plan that puts them together. */
export function splitState(state: Cell): ThawParts {
  const subtrees = new Map<string, Cell>();
  // The root is left to the plan: a piece holds subtrees.
  for (const child of state.refs) collectSubtrees(child, subtrees);
  const { pieces, places } = packSubtrees([...subtrees.values()]);
  return { pieces, plan: planOf(state, places) };
}

interface Place {
  readonly piece: number;
  readonly reference: number;
}

function collectSubtrees(cell: Cell, subtrees: Map<string, Cell>): void {
  const hash = cell.hash().toString("hex");
  if (subtrees.has(hash)) return;
  if (cell.toBoc().length <= MAX_PIECE_BYTES) subtrees.set(hash, cell);
  else for (const child of cell.refs) collectSubtrees(child, subtrees);
}

/** Puts subtrees into as few pieces as first fit finds, largest first. */
function packSubtrees(subtrees: readonly Cell[]): { pieces: Cell[]; places: ReadonlyMap<string, Place> } {
  const sized = subtrees.map((cell) => ({ cell, bytes: cell.toBoc().length })).sort((x, y) =>
    y.bytes - x.bytes
  );
  const packed: { bytes: number; cells: Cell[] }[] = [];
  const places = new Map<string, Place>();
  for (const { cell, bytes } of sized) {
    const fits = (piece: { bytes: number; cells: Cell[] }) =>
      piece.cells.length < MAX_SUBTREES && piece.bytes + bytes <= MAX_PIECE_BYTES;
    let index = packed.findIndex(fits);
    if (index === -1) index = packed.push({ bytes: 0, cells: [] }) - 1;
    const piece = packed[index];
    piece.bytes += bytes;
    places.set(cell.hash().toString("hex"), { piece: index, reference: piece.cells.push(cell) - 1 });
  }
  const pieces = packed.map(({ cells }) => {
    const builder = beginCell();
    for (const cell of cells) builder.storeRef(cell);
    return builder.endCell();
  });
  return { pieces, places };
}

function planOf(cell: Cell, places: ReadonlyMap<string, Place>): Cell {
  const place = places.get(cell.hash().toString("hex"));
  if (place) {
    return beginCell().storeBit(true).storeUint(place.piece, 8).storeUint(place.reference, 2).endCell();
  }
  const content = beginCell().storeBits(cell.bits).endCell();
  const children = beginCell();
  for (const child of cell.refs) children.storeRef(planOf(child, places));
  return beginCell().storeBit(false).storeRef(content).storeRef(children.endCell()).endCell();
}
