/** Commands and a relayer with endpoints that need `archival` to read old transactions, or that refuse it. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { withVerifier } from "../../../src/ton/endpoint/verified_chain.ts";
import { type CliFixture, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRecordingEndpoint } from "../../support/endpoint/recording_endpoint.ts";
import { rpcError } from "../../support/endpoint/scripted_endpoint.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";

const KEY = "native-1";
const to = Address.parse(`0:${"3c".repeat(32)}`).toString();

/**
 * The first is a server whose other lite servers have dropped the pool's blocks (ton-blockchain/ton
 * `validator/db/archive-manager.cpp`). The second has no archive node (toncenter/ton-http-api-cpp
 * `tonlib-multiclient/multi_client_actor.cpp`).
 */
const endpoints: [kind: string, archival: boolean, refusal: () => Response][] = [
  ["demands archival", false, () => rpcError(500, "LITE_SERVER_NOTREADY: lt not in db")],
  ["refuses archival", true, () => rpcError(542, "failed to get session: no workers available")],
];

for (const [kind, refusedValue, refusal] of endpoints) {
  Deno.test(`an endpoint that ${kind} serves a relayer, its verifier and the commands`, async (t) => {
    await using fixture = await startCliFixture({ relayer: false });
    await using endpoint = startRecordingEndpoint(fixture.net.localnet.url, ({ method, params }) => {
      const { archival = false } = params as { archival?: boolean };
      if (method === "getTransactions" && archival === refusedValue) return refusal();
    });
    await readsWith(t, fixture, endpoint.url);
  });
}

async function readsWith(t: Deno.TestContext, fixture: CliFixture, url: string): Promise<void> {
  const { net, env, networkFlags, payerFlags } = fixture;
  const flags = [...networkFlags, "--endpoint", url];
  // One attempt: a refusal of `archival` is not a failure that is retried.
  const chain = () => connect({ endpoint: url, attempts: 1 });

  await t.step("a relayer that verifies with it", async () => {
    await net.startRelayer({ chain: (honest) => withVerifier(honest, chain()) });
    await net.untilIndexed(KEY);
    await net.relayer.close();
  });
  await net.startRelayer({ chain });
  const [note, other] = await fixture.depositNotes(2);
  await t.step("note check", async () => {
    const { code, stdout, stderr } = await runCli(["note", "check", noteId(note), ...flags, "--json"], env);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"state":"deposited"/);
  });
  await t.step("pool inspect", async () => {
    const { code, stderr } = await runCli(["pool", "inspect", KEY, ...flags], env);
    assert.equal(code, 0, stderr);
  });
  await t.step("withdraw", async () => {
    await using relayer = startRelayerProxy(fixture.api);
    const args = ["withdraw", noteId(note), ...flags, "--to", to, "--relayer", relayer.url, "--yes"];
    const { code, stderr } = await runCli(args, env);
    assert.equal(code, 0, stderr);
  });
  await t.step("withdraw --self", async () => {
    const args = ["withdraw", noteId(other), ...flags, "--to", to, "--self", ...payerFlags, "--yes"];
    const { code, stderr } = await runCli(args, env);
    assert.equal(code, 0, stderr);
  });
}
