import { deepEqual, rejects } from "node:assert/strict";
import { DepositScene } from "../../../testkit/simulation/deposit_scene.ts";
import { createNote } from "../../core/protocol/note.ts";
import { depositByLink, type LinkDepositStep } from "./deposit_link.ts";

const note = createNote({ asset: "native", amount: "10", network: "localnet" });

async function linksWith(deposits: readonly (readonly [atMs: number, commitment: bigint])[]) {
  const scene = new DepositScene();
  for (const [atMs, commitment] of deposits) scene.at(atMs, commitment);
  const steps: string[] = [];
  const onStep = (step: LinkDepositStep) =>
    steps.push(step.step === "link" ? `link ${step.link.leafIndex}` : step.step);
  const { chain, pool, clock, prover, source } = scene;
  const result = await depositByLink({
    chain,
    pool,
    note,
    clock,
    prover,
    source,
    onStep,
    network: "localnet",
    timeoutMs: 10_000,
    pollIntervalMs: 2_000,
  });
  return {
    now: scene.now,
    leafIndex: result.leafIndex,
    attempts: result.attempts,
    links: steps.filter((s) => s !== "syncing" && s !== "proving"),
  };
}

Deno.test("a link that is paid just before its timeout is a deposit, and one poll later it has timed out", async () => {
  deepEqual(await linksWith([[10_000, note.commitment]]), {
    now: 10_000,
    leafIndex: 0,
    attempts: 1,
    links: ["link 0"],
  });
  await rejects(linksWith([[14_000, note.commitment]]), {
    code: "payment_timeout",
    message: /a payment that arrives later is not lost/,
  });
});

Deno.test("a link whose leaf another deposit takes is followed by one for the next leaf", async () => {
  deepEqual(await linksWith([[4_000, 99n], [8_000, note.commitment]]), {
    now: 8_000,
    leafIndex: 1,
    attempts: 2,
    links: ["link 0", "stale", "link 1"],
  });
});

Deno.test("a note that is deposited already needs no link", async () => {
  deepEqual(await linksWith([[0, note.commitment]]), { now: 0, leafIndex: 0, attempts: 1, links: [] });
});
