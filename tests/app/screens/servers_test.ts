/// <reference lib="dom" />
/** Which servers a visit contacts: the side of deposits and the side of withdrawals never learn of the same visit. */
import assert from "node:assert/strict";
import { type FaultScene, runCase, type Visit, withFaultScene } from "../../support/app/fault_scene.ts";
import { passTime, shiftAfterMark } from "../../support/app/shifted_clock.ts";
import { openPayment, SETTLEMENT_TIMEOUT_MS, withdraw } from "../../support/app/steps/money_steps.ts";
import { unlockTab } from "../../support/app/steps/kill_steps.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { chromium } from "../../support/system/chromium.ts";

const DAY_MS = 86_400_000;
const POOL = "native-10-v2";

Deno.test({
  name: "the servers of a visit",
  ignore: chromium === undefined,
  fn: (t) =>
    withFaultScene({ funded: 1 }, async (scene) => {
      await runCase(t, scene, "a deposit and the withdrawal on the next day contact no common server", () =>
        useBothSides(scene));
      await runCase(
        t,
        scene,
        "a visit with an older note that deposits contacts only the endpoint for deposits, until its user checks",
        () =>
          depositAgain(scene),
      );
    }),
});

async function useBothSides(scene: FaultScene): Promise<void> {
  const servers = recordServers(scene);
  const visit = await scene.visit({ prepare: (page) => page.evaluateOnNewDocument(shiftAfterMark, DAY_MS) });
  await payIn(scene, visit);
  await visit.page.waitForSelector("li.note.deposited button", { timeout: SETTLEMENT_TIMEOUT_MS });
  await visit.reopen();
  await visit.page.waitForSelector("li.note.deposited button");
  await visit.click("Deposit");
  await visit.step("amount");
  await visit.page.waitForFunction(() => !document.querySelector(".crowd:empty")); // the sizes of the pools
  servers.assertOnly("a deposit", "deposit endpoint");

  await passTime(visit.page);
  await visit.reopen();
  await visit.page.waitForSelector("li.note.deposited button");
  servers.assertOnly("an unlocked store");
  await withdraw(visit);
  await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
  await visit.click("Done");
  await visit.step("notes");
  servers.assertOnly("a withdrawal", "withdrawal endpoint", "relayer");
  const { app, gates: { deposit, withdrawal, relayer } } = scene;
  const known = [app, deposit, withdrawal, relayer].map(({ url }) => new URL(url).origin);
  assert.deepEqual([...visit.origins].filter((origin) => !known.includes(origin)), [], "no other server");
  await visit.page.close();
}

async function depositAgain(scene: FaultScene): Promise<void> {
  const servers = recordServers(scene);
  const visit = await scene.visit({ content: scene.takeFunded() });
  await visit.click("Deposit");
  await visit.step("amount");
  await visit.reopen();
  await payIn(scene, visit);
  await visit.page.waitForFunction(() => document.querySelectorAll("li.note.deposited button").length === 2, {
    timeout: SETTLEMENT_TIMEOUT_MS,
  });
  servers.assertOnly("a deposit beside an older note", "deposit endpoint");
  await visit.click("Check the notes");
  await visit.page.waitForFunction(() => document.body.innerText.includes("paid in after you"));
  servers.assertOnly("a check that the user asked for", "withdrawal endpoint", "relayer");
  await openPayment(visit, POOL);
  servers.take();
  await visit.reopen();
  await visit.click("Continue");
  await visit.step("pay-");
  servers.assertOnly("a deposit after the check", "deposit endpoint");
  await visit.click("Show my notes");
  await visit.click("Check the notes");
  await visit.page.waitForFunction(() => !document.querySelector(".progress"));
  const other = await visit.openTab();
  await unlockTab(other);
  const before = (await visit.page.$$("li.note.depositing")).length;
  await openPayment(other, POOL);
  await waitUntil(
    "the first tab shows the deposit of the other one",
    async () => (await visit.page.$$("li.note.depositing")).length > before,
  );
  servers.take();
  await waitUntil(
    "several intervals of checks have passed",
    () => Promise.resolve(servers.requests.length > 40),
    60_000,
  );
  servers.assertOnly("a deposit in another tab, after a check", "deposit endpoint");
  await other.page.close();
  await visit.page.close();
}

async function payIn(scene: FaultScene, visit: Visit): Promise<void> {
  await openPayment(visit, POOL);
  const link = await visit.page.$eval('a[href^="ton://"]', (link) => link.getAttribute("href")!);
  const { code, stderr } = await runCli(["localnet", "pay", link, "--endpoint", scene.indexer]);
  assert.equal(code, 0, stderr);
  await visit.step("deposited", SETTLEMENT_TIMEOUT_MS);
  await visit.click("Show my notes");
  await visit.step("notes");
}

type Server = "deposit endpoint" | "withdrawal endpoint" | "relayer";

/** Records each request to a server other than the website, which serves the page. */
function recordServers({ gates }: FaultScene) {
  const requests: Server[] = [];
  gates.deposit.record = () => void requests.push("deposit endpoint");
  gates.withdrawal.record = () => void requests.push("withdrawal endpoint");
  gates.relayer.record = () => void requests.push("relayer");
  return {
    /** The requests since the last call of `take` or `assertOnly`. */
    requests,
    take: () => requests.splice(0),
    /** Asserts that each of these servers was contacted since the last call, and no other. */
    assertOnly(what: string, ...expected: readonly Server[]) {
      assert.deepEqual([...new Set(requests.splice(0))].sort(), expected.toSorted(), what);
    },
  };
}
