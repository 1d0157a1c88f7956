/** The program, told to read the tests' verification keys from the directory that its environment names. */
import process from "node:process";
import { main } from "../../../main.ts";
import { useTrapdoorArtifacts } from "./trapdoor_artifacts.ts";

useTrapdoorArtifacts(process.env.TONADO_TEST_ARTIFACTS!);
await main();
