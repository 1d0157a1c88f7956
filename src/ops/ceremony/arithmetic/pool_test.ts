import { rejects } from "node:assert/strict";
import { openArithmeticPool } from "./pool.ts";

Deno.test("a rejection by the arithmetic is a fault of the ceremony, with only the kernel's reason", async () => {
  const arithmetic = openArithmeticPool(1);
  try {
    await rejects(arithmetic.run("circuit", new Uint8Array(3)), {
      code: "invalid_ceremony",
      message: "constraint system: is cut short",
    });
    await rejects(arithmetic.run("sumG1", new Uint8Array(95), new Uint8Array(32)), {
      code: "invalid_ceremony",
      message: "points are malformed",
    });
  } finally {
    arithmetic.close();
  }
});
