/// <reference lib="dom" />
/** Altered or missing files of a settlement's proof: no wallet is asked, and the settlement goes on once they are correct. */
import assert from "node:assert/strict";
import { type FaultScene, runCase, withFaultScene } from "../../support/app/fault_scene.ts";
import { SETTLEMENT_TIMEOUT_MS } from "../../support/app/steps/money_steps.ts";
import { waitForNotice, waitForText } from "../../support/app/steps/payment_steps.ts";
import {
  chooseSettler,
  openOffer,
  settlementsOf,
  showReadyNote,
  unsettledVisit,
} from "../../support/app/steps/settle_steps.ts";
import { chromium } from "../../support/system/chromium.ts";

const FILES = new Set(["settle16.wasm", "settle16.zkey"]);
const POOL = "native-10-v2";
const MISSING = /^Files that are needed could not be loaded\./;
const ALTERED = /^A file from this website is not the one that this app expects\./;

Deno.test({
  name: "files of a settlement's proof",
  ignore: chromium === undefined,
  fn: (t) =>
    withFaultScene(
      { settles: false },
      (scene) =>
        runCase(
          t,
          scene,
          "an altered or missing circuit or key asks no wallet, and the settlement goes on",
          async () => {
            const visit = await unsettledVisit(scene, POOL);
            const { sent } = scene.wallet;
            await openOffer(visit);
            await chooseSettler(visit);
            for (const faulty of FILES) {
              for (const [respond, notice] of [[altered(scene), ALTERED], [missing, MISSING]] as const) {
                const [loading, reported] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
                scene.app.intercept = (request) => {
                  const name = new URL(request.url).pathname.split("/").at(-1)!;
                  if (name === faulty) return loading.promise.then(() => respond(request));
                  // The other file arrives too late for the cache, which would hide the next fault.
                  if (FILES.has(name)) return reported.promise.then(() => scene.app.respond(request));
                };
                await visit.click("Settle with");
                await waitForText(visit, "Loading what the proof needs"); // the notice below is a new one
                loading.resolve();
                await waitForNotice(visit, notice);
                reported.resolve();
              }
            }
            assert.equal(scene.wallet.sent, sent, "the wallet sent nothing");
            assert.deepEqual(await settlementsOf(scene, POOL), []);
            scene.app.intercept = undefined;
            await visit.click("Settle with");
            await visit.step("settled", SETTLEMENT_TIMEOUT_MS);
            assert.equal((await settlementsOf(scene, POOL)).length, 1);
            await showReadyNote(visit);
          },
        ),
    ),
});

const missing = () => new Response("", { status: 404 });

/** Answers with the site's file, in which one bit differs. */
function altered({ app }: FaultScene): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await app.respond(request);
    const bytes = new Uint8Array(await response.arrayBuffer());
    bytes[bytes.length >> 1] ^= 1;
    return new Response(bytes, response);
  };
}
