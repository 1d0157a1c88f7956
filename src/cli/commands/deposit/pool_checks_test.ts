import { throws } from "node:assert/strict";
import type { NoteRecord } from "../../../client/notes/note_store.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { assertNotRetired } from "./pool_checks.ts";

Deno.test("a retired pool accepts no new deposit, and a deposit that has begun is finished", () => {
  const check = (retired: boolean | undefined, state: NoteRecord["state"]) =>
    assertNotRetired({ retired } as Deployment, { state } as NoteRecord);
  throws(() => check(true, "created"), { code: "pool_retired" });
  check(true, "depositing");
  check(false, "created");
  check(undefined, "created");
});
