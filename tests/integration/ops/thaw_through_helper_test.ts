/**
 * Deploys, fills and empties the helper contract on a localnet. A run that was stopped continues where it
 * stopped.
 */
import assert from "node:assert/strict";
import { beginCell, storeStateInit, toNano } from "@ton/core";
import { storeAdmin } from "../../../testkit/chain/admin_messages.ts";
import { rescueHelperAddress } from "../../../src/ops/rescue/thaw_helper.ts";
import { type ThawStep, thawThroughHelper } from "../../../src/ops/rescue/thaw_through_helper.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { v2NativePoolInit } from "../../../src/ton/pool/state_init.ts";
import { FaultySends } from "../../support/endpoint/faulty_sends.ts";
import { withEmptyLocalnet } from "../../support/endpoint/empty_localnet.ts";

const YEAR = 31_557_600;

Deno.test("a frozen pool thaws through the helper; a run that was stopped sends no piece twice", () =>
  withEmptyLocalnet(async ({ net, chain, wallet, deploy }) => {
    const init = v2NativePoolInit({ denomination: toNano(2), owner: wallet.address });
    const pool = await deploy(init, toNano("0.02"));
    // The chain would delete a pool that is still in its first state.
    await wallet.send([{ to: pool, value: toNano("0.02"), bounce: true, body: storeAdmin("admin_pause") }]);
    await net.closeBlock();
    const { code, data } = await chain.account(pool);
    await net.setNow(Math.floor(Date.now() / 1000) + 75 * YEAR);
    await wallet.send([{ to: pool, value: 1n, bounce: false }]);
    await net.closeBlock();
    assert.equal((await chain.account(pool)).state, "frozen");

    const state = beginCell().store(storeStateInit({ code, data })).endCell();
    const sends = new FaultySends("answered by the second of two nodes");
    const [{ mnemonic, version }] = net.wallets;
    const faulty = connect({ endpoint: net.url, fetch: sends.fetch });
    const sender = await openWallet(mnemonic, { version, network: "localnet", chain: faulty });
    const thaw = async (stopAt?: ThawStep["step"]) => {
      const steps: ThawStep["step"][] = [];
      const stop = new AbortController();
      await thawThroughHelper({ chain, wallet: sender, pool, state, value: toNano(50) }, {
        pollIntervalMs: 1,
        signal: stop.signal,
        clock: { now: Date.now, sleep: () => net.closeBlock() },
        onStep({ step }) {
          steps.push(step);
          if (step === stopAt) throw new Error("stopped");
        },
      });
      await net.closeBlock();
      return steps;
    };
    await assert.rejects(thaw("thaw"), /stopped/);
    assert.equal((await chain.account(rescueHelperAddress(wallet.address, pool))).state, "active");
    assert.deepEqual(await thaw(), ["thaw"]);
    assert.equal(sends.refusals.length, 2, "the endpoint reports the wallet's refusals of copies");
    const account = await chain.account(pool);
    assert.equal(account.state, "active");
    assert.ok(account.balance > toNano(20) && account.data?.equals(data!));
  }));
