/** Runs the program with the test verification keys of the directory that an environment variable names. */
import process from "node:process";
import { main } from "../../main.ts";
import { useTrapdoorArtifacts } from "./trapdoor_artifacts.ts";

useTrapdoorArtifacts(process.env.TONADO_TEST_ARTIFACTS!);
await main();
