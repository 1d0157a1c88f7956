/** All studies, in the order in which they run and are shown. */
import { appStudy } from "./app/app_study.ts";
import { ceremonyStudies } from "./studies/ceremony.ts";
import { eventLoopStudy } from "./studies/event_loop.ts";
import { msmStudy } from "./studies/msm.ts";
import { nativeStudy } from "./studies/native_arkworks.ts";
import { poseidonStudy } from "./studies/poseidon.ts";
import { proofStudies } from "./studies/proof.ts";
import { coldStartStudies } from "./relayer/cold_start.ts";
import { httpStudy } from "./relayer/http.ts";
import type { Study } from "./study.ts";
import { treeStudies } from "./studies/tree.ts";

export const studies: readonly Study[] = [
  poseidonStudy,
  ...treeStudies,
  ...proofStudies,
  msmStudy,
  ...ceremonyStudies,
  nativeStudy,
  eventLoopStudy,
  httpStudy,
  ...coldStartStudies,
  appStudy,
];
