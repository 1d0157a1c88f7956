/** Entry of the compiled binary: the program, told what its embedded artifacts are called. */
import { main } from "../../main.ts";
import { locations } from "../../src/prover/locations.ts";
import { EMBEDDED_SUFFIX } from "./suffix.ts";

locations.artifactSuffix = EMBEDDED_SUFFIX;
await main();
