/** Runs the program as the next release would: its schema has one more migration. */
import { main } from "../../../main.ts";
import { migrations } from "../../../src/store/postgres/schema.ts";

(migrations as string[]).push("alter table jobs add column note text");
await main();
