/**
 * Counts the deposits of others after a leaf. The list of notes and the review before a withdrawal both show this number.
 * @param ownLeaves leaves of the store's notes in the same pool
 */
export function countLaterStrangers(
  treeSize: number,
  leafIndex: number,
  ownLeaves: readonly number[],
): number {
  const ownLater = ownLeaves.filter((leaf) => leaf > leafIndex).length;
  return Math.max(0, treeSize - leafIndex - 1 - ownLater);
}
