/// <reference lib="dom" />
/**
 * Missing or altered files of the app: the page reports them, no payment is made, and the app works once the
 * files are correct.
 */
import assert from "node:assert/strict";
import {
  type FaultCases,
  type FaultScene,
  runCases,
  type Visit,
  withFaultScene,
} from "../../support/app/fault_scene.ts";
import { PASSPHRASE } from "../../support/app/journey.ts";
import { SETTLEMENT_TIMEOUT_MS, withdraw } from "../../support/app/steps/money_steps.ts";
import { connectedVisit, waitForNotice } from "../../support/app/steps/payment_steps.ts";
import { chromium } from "../../support/system/chromium.ts";

const MISSING = /^Files that are needed could not be loaded\. Check your internet connection/;
const ALTERED = /^A file from this website is not the one that this app expects\./;

Deno.test({
  name: "files of the app",
  ignore: chromium === undefined,
  fn: (t) => withFaultScene({ funded: 1 }, (scene) => runCases(t, scene, cases)),
});

const cases: FaultCases = {
  async "an altered or missing key of version 1 deposits asks no wallet, and the deposit goes on"(scene) {
    const visit = await connectedVisit(scene, "native-1");
    const sent = scene.wallet.sent;
    for (const [file, notice] of [[new Response("altered"), ALTERED], [missing(), MISSING]] as const) {
      replace(scene, /deposit\.zkey$/, file);
      await visit.click("Pay with");
      await waitForNotice(visit, notice);
    }
    assert.equal(scene.wallet.sent, sent, "the wallet was not asked");
    scene.app.intercept = undefined;
    await visit.click("Pay with");
    await visit.step("deposited", SETTLEMENT_TIMEOUT_MS);
  },

  async "an altered or missing kernel of the prover stops a withdrawal before anything is sent, and it goes on"(
    scene,
  ) {
    const { relayer } = scene.gates;
    replace(scene, /prover_wasm/, new Response("altered"));
    const visit = await scene.visit({ content: scene.takeFunded() });
    const before = relayer.requests.length;
    await withdraw(visit);
    await visit.step("withdraw-failed", SETTLEMENT_TIMEOUT_MS);
    assert.match((await visit.notices())[1], MISSING);
    replace(scene, /prover_wasm/, missing());
    await acceptAgain(visit);
    await visit.step("withdraw-failed", SETTLEMENT_TIMEOUT_MS);
    assert.match((await visit.notices())[1], MISSING);
    assert.ok(!relayer.requests.slice(before).includes("/withdraw"), "no proof left the page");
    scene.app.intercept = undefined;
    await acceptAgain(visit);
    await visit.step("withdrawn", SETTLEMENT_TIMEOUT_MS);
  },

  async "a missing worker of the vault creates no store, and it is created once the worker is there"(scene) {
    replace(scene, /vault_worker/, missing());
    const visit = await scene.visit({ content: "none" });
    await visit.click("Start");
    await createStore(visit);
    await waitForNotice(visit, MISSING);
    scene.app.intercept = undefined;
    await createStore(visit);
    await visit.step("notes");
  },

  async "a page without its settings, or without a file of its start, says so instead of staying empty"(
    scene,
  ) {
    for (const name of [/config\.json/, /poseidon_wasm/]) {
      replace(scene, name, missing());
      const { page } = await scene.visit({ content: "none" });
      await page.waitForFunction(() => document.querySelector("#app")!.checkVisibility());
      await page.waitForFunction(
        () => /could not be loaded/.test(document.querySelector<HTMLElement>("#app")!.innerText),
      );
      await page.close();
    }
  },
};

const missing = () => new Response("", { status: 404 });

/** Makes the app's server answer requests for this file with `answer`. */
function replace({ app }: FaultScene, name: RegExp, answer: Response): void {
  app.intercept = ({ url }) => name.test(new URL(url).pathname) ? answer.clone() : undefined;
}

async function acceptAgain(visit: Visit): Promise<void> {
  await visit.click("Try again");
  await visit.step("review");
  await visit.page.click("#accept");
  await visit.page.click("button.primary");
}

async function createStore(visit: Visit): Promise<void> {
  await visit.step("new");
  await visit.type("passphrase", PASSPHRASE);
  await visit.type("repeat", PASSPHRASE);
  await visit.click("Create my store");
}
