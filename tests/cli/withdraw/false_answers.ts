/** False answers of relayers to `tonado withdraw`. */
import { type AnswerTransform, differentElement } from "../../support/relayer/relayer_proxy.ts";

/** Relayers with a false root or false leaves. */
export const falseTrees: Record<string, AnswerTransform> = {
  "another root": (path, answer) =>
    path === "/tree/root" ? { ...answer, root: differentElement(answer.root) } : answer,
  "another leaf": (path, answer) => {
    if (path !== "/tree/commitments") return answer;
    const [first, ...rest] = answer.commitments;
    return {
      ...answer,
      commitments: [{ ...first, commitment: differentElement(first.commitment) }, ...rest],
    };
  },
  "no leaves": (path, answer) =>
    path === "/tree/commitments" ? { ...answer, count: 0, commitments: [], nextFrom: null } : answer,
};

/** Relayers with a false Merkle path. */
export const falsePaths: Record<string, AnswerTransform> = {
  "another sibling": (path, answer) =>
    path === "/tree/path"
      ? {
        ...answer,
        pathElements: [differentElement(answer.pathElements[0]), ...answer.pathElements.slice(1)],
      }
      : answer,
  "another root": (path, answer) =>
    path === "/tree/path" ? { ...answer, root: differentElement(answer.root) } : answer,
  "another leaf's path": (path, answer) =>
    path === "/tree/path"
      ? { ...answer, pathIndices: [1 - answer.pathIndices[0], ...answer.pathIndices.slice(1)] }
      : answer,
};

/** Returns a relayer whose fee is `bps(n)` in its n-th answer, from 0. */
export function quoteFees(bps: (n: number) => number): AnswerTransform {
  let requests = 0;
  return (path, answer) => {
    if (path === "/status") return { ...answer, feeBps: bps(requests++) };
    if (path !== "/pools") return answer;
    return { ...answer, pools: { "native-1": { ...answer.pools["native-1"], feeMin: "1" } } };
  };
}
