/** Runs the program with test keys, see use_trapdoor_keys.ts. */
import { main } from "../../main.ts";
import { useTrapdoorKeys } from "./use_trapdoor_keys.ts";

await useTrapdoorKeys();
await main();
