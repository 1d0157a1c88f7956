/** Runs the program as the next release would, with test keys: its schema has one more migration. */
import { main } from "../../../main.ts";
import { useTrapdoorKeys } from "../../../testkit/localnet/use_trapdoor_keys.ts";
import { migrations } from "../../../src/store/postgres/schema.ts";

(migrations as string[]).push("alter table jobs add column note text");
await useTrapdoorKeys();
await main();
