/** A local network with an honest relayer and five deposited notes. */
import { Address } from "@ton/core";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli, type TerminalUser } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";

/** Starts a local network with an honest relayer, and deposits five notes. */
export async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture());
  const { net, directory: dir, registry, networkFlags: at, payerFlags: payer, env, api } = fixture;
  const honest = stack.use(startRelayerProxy(api));
  const ids = (await fixture.depositNotes(5)).map(noteId);
  const fresh = (byte: string) => Address.parse(`0:${byte.repeat(32)}`);
  const balance = async (address: Address) => (await net.chain.account(address)).balance;
  const withdraw = (args: string[], person?: TerminalUser) =>
    runCli(["withdraw", ...at, ...args], env, person);
  const fee = 50_000_000n;
  const open = stack.move();
  return {
    ids,
    fresh,
    honest,
    withdraw,
    net,
    registry,
    dir,
    env,
    api,
    balance,
    fee,
    at,
    payer,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;
