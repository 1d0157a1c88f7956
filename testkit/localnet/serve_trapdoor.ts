/**
 * Runs the program with the test verification keys of the directory that TONADO_TEST_ARTIFACTS names. With
 * TONADO_TEST_FORGE, its prover uses them to forge settlements.
 */
import process from "node:process";
import { main } from "../../main.ts";
import { useForgingProver, useTrapdoorArtifacts } from "./trapdoor_artifacts.ts";

useTrapdoorArtifacts(process.env.TONADO_TEST_ARTIFACTS!);
if (process.env.TONADO_TEST_FORGE) useForgingProver();
await main();
