/** Every study, in the order in which they run and are shown. */
import { ceremonyStudies } from "./ceremony.ts";
import { loopStudy } from "./loop.ts";
import { msmStudy } from "./msm.ts";
import { nativeStudy } from "./native.ts";
import { poseidonStudy } from "./poseidon.ts";
import { proofStudies } from "./proof.ts";
import { coldStartStudies } from "./relayer/cold_start.ts";
import { httpStudy } from "./relayer/http.ts";
import type { Study } from "./study.ts";
import { treeStudies } from "./tree.ts";

export const studies: readonly Study[] = [
  poseidonStudy,
  ...treeStudies,
  ...proofStudies,
  msmStudy,
  ...ceremonyStudies,
  nativeStudy,
  loopStudy,
  httpStudy,
  ...coldStartStudies,
];
