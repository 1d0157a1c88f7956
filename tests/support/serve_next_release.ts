/** The program as the next release would be: its schema has one more step than this release's. */
import { main } from "../../main.ts";
import { migrations } from "../../src/store/postgres/schema.ts";

(migrations as string[]).push("alter table jobs add column note text");
await main();
