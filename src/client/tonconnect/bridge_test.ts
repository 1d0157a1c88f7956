import { deepEqual, equal, match, notEqual, rejects } from "node:assert/strict";
import { Address, beginCell } from "@ton/core";
import { SessionCrypto } from "@tonconnect/protocol";
import { type BridgeServer, startBridge } from "../../../testkit/wallet/bridge_server.ts";
import {
  openRemoteWallet,
  type RemoteWallet,
  type RpcMessage,
} from "../../localnet/tonconnect/remote_wallet.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { type BridgeOptions, connectBridge, type WalletPayer } from "./bridge.ts";
import { openBridgeEvents } from "./bridge_events.ts";

const entry = {
  id: "test",
  name: "Test",
  link: "https://wallet.example/connect",
  bridge: "http://127.0.0.1:9",
};

/** Returns the session that the connect link names, if `stored` is what an earlier visit has left. */
async function linkedSession(stored: unknown): Promise<string | null> {
  const stop = new AbortController();
  const links: string[] = [];
  const options = {
    manifestUrl: "https://app.example/manifest.json",
    clock: systemClock,
    openEvents: () => ({ close: () => {} }),
    fetch,
    sessions: {
      read: () => Promise.resolve(stored),
      write: () => Promise.resolve(),
      remove: () => Promise.resolve(),
    },
  };
  const onLink = (link: string) => {
    links.push(link);
    stop.abort();
  };
  await rejects(connectBridge(entry, options, { network: "testnet", onLink, signal: stop.signal }));
  return new URL(links[0]).searchParams.get("id");
}

Deno.test("a stored session continues, unless one of its keys is not 32 bytes in hex", async () => {
  const keys = new SessionCrypto().stringifyKeypair();
  const stored = { wallet: "test", network: "testnet", keys };
  equal(await linkedSession(stored), keys.publicKey);
  const broken = [
    { ...stored, keys: { ...keys, publicKey: "zz" } },
    { ...stored, keys: { ...keys, secretKey: "z".repeat(64) } },
    { ...stored, keys: { ...keys, secretKey: keys.secretKey.slice(2) } },
    { ...stored, peer: "zz" },
  ];
  for (const each of broken) {
    const session = await linkedSession(each);
    match(session!, /^[0-9a-f]{64}$/);
    notEqual(session, keys.publicKey);
  }
});

const target = new Address(0, Buffer.alloc(32, 7));
const message = { to: target, amount: 1n, body: beginCell().endCell() };
const connectEvent = (item: object = {}, payload: object = {}) => ({
  event: "connect",
  id: 1,
  payload: {
    items: [{ name: "ton_addr", address: target.toRawString(), network: "-3", ...item }],
    ...payload,
  },
});

/** Answers a request with one message, with several or with none. */
type Script = (request: RpcMessage) => unknown;

interface Scene {
  readonly bridge: BridgeServer;
  readonly requests: RpcMessage[];
  script: Script;
  connectAnswer: object;
  /** Connects as another page of the browser does, with the session that the page before it stored. */
  connect(): Promise<WalletPayer>;
  /** Asks for a payment. Resolves with "paid" or with the code of the problem. */
  pay(payer: WalletPayer): Promise<string>;
}

async function onBridge(work: (scene: Scene) => Promise<void>, clock = systemClock): Promise<void> {
  const bridge = startBridge();
  const remotes: RemoteWallet[] = [];
  let stored: unknown;
  const options: BridgeOptions = {
    manifestUrl: "https://app.example/manifest.json",
    clock,
    openEvents: openBridgeEvents(clock),
    fetch,
    sessions: {
      read: () => Promise.resolve(stored),
      write: (session) => Promise.resolve(void (stored = structuredClone(session))),
      remove: () => Promise.resolve(void (stored = undefined)),
    },
  };
  const payers: WalletPayer[] = [];
  const scene: Scene = {
    bridge,
    requests: [],
    script: ({ id }) => ({ id, result: "te6cckEBAQEAAgAAAEysuc0=" }),
    connectAnswer: connectEvent(),
    async connect() {
      const wallet = {
        connectEvent: () => scene.connectAnswer,
        answer(request: RpcMessage) {
          scene.requests.push(request);
          return Promise.resolve(scene.script(request));
        },
      };
      const onLink = (link: string) =>
        void openRemoteWallet(wallet, { link, bridge: bridge.url }).then((remote) => remotes.push(remote));
      const payer = await connectBridge({ ...entry, bridge: bridge.url }, options, {
        network: "testnet",
        onLink,
      });
      payers.push(payer);
      return payer;
    },
    pay: (payer) =>
      payer.pay(message, { validUntil: Date.now() / 1000 + 300 }).then(() => "paid", (error) => error.code),
  };
  try {
    await work(scene);
  } finally {
    for (const remote of remotes) remote.close();
    for (const payer of payers) await payer.disconnect();
    await bridge.close();
  }
}

Deno.test("ids of requests are integers that increase, also in the next page of a session", () =>
  onBridge(async (scene) => {
    const first = await scene.connect();
    equal(await scene.pay(first), "paid");
    equal(await scene.pay(first), "paid");
    const second = await scene.connect(); // as after a reload: no link is shown
    equal(await scene.pay(second), "paid");
    deepEqual(scene.requests.map(({ id }) => id), ["1", "2", "3"]);
  }));

Deno.test("a request always says until when it is valid", () =>
  onBridge(async (scene) => {
    await scene.pay(await scene.connect());
    const { valid_until } = JSON.parse(scene.requests[0].params[0]);
    equal(Number.isInteger(valid_until), true);
  }));

/** Only an answer with the request's own id can say that nothing was sent. */
const answers: readonly (readonly [string, Script, string])[] = [
  ["a result", ({ id }) => ({ id, result: "boc" }), "paid"],
  ["a result and no error", ({ id }) => ({ id, result: "boc", error: null }), "paid"],
  ["the same answer twice", ({ id }) => [{ id, result: "boc" }, { id, result: "boc" }], "paid"],
  ["the id as a number", ({ id }) => ({ id: Number(id), result: "boc" }), "paid"],
  ["an answer to another request first", ({ id }) => [
    { id: "99", error: { code: 300 } },
    { id, result: "boc" },
  ], "paid"],
  ["a refusal", ({ id }) => ({ id, error: { code: 300, message: "no" } }), "wallet_declined"],
  ["a refusal with a textual code", ({ id }) => ({ id, error: { code: "300" } }), "wallet_declined"],
  [
    "a refusal with a null result",
    ({ id }) => ({ id, error: { code: 300 }, result: null }),
    "wallet_declined",
  ],
  ["a refusal and a result", ({ id }) => ({ id, error: { code: 300 }, result: "boc" }), "wallet_unavailable"],
  ["another error", ({ id }) => ({ id, error: { code: 1, message: "bad" } }), "wallet_unavailable"],
  ["an error without a code", ({ id }) => ({ id, error: {} }), "wallet_unavailable"],
  ["an error as text", ({ id }) => ({ id, error: "bad" }), "wallet_unavailable"],
  ["a word as a code", ({ id }) => ({ id, error: { code: "USER_DECLINED" } }), "wallet_unavailable"],
  ["a result of another kind", ({ id }) => ({ id, result: { boc: "x" } }), "wallet_unavailable"],
  ["id 0", () => ({ id: 0, error: { code: 1, message: "Bad request" } }), "wallet_unavailable"],
  ["id 0 and a refusal", () => ({ id: 0, error: { code: 300 } }), "wallet_unavailable"],
  ["id 0 as text", () => ({ id: "0", error: { code: 300 } }), "wallet_unavailable"],
  ["id 0 and a result", () => ({ id: 0, result: "boc" }), "wallet_unavailable"],
  ["a null id", () => ({ id: null, error: { code: 300 } }), "wallet_unavailable"],
  ["no id", () => ({ error: { code: 300 } }), "wallet_unavailable"],
  [
    "id 0 before the answer",
    ({ id }) => [{ id: 0, error: { code: 1 } }, { id, result: "boc" }],
    "wallet_unavailable",
  ],
];

Deno.test("each answer of a wallet has its outcome at once", () =>
  onBridge(async (scene) => {
    const payer = await scene.connect();
    for (const [name, script, outcome] of answers) {
      scene.script = script;
      equal(await scene.pay(payer), outcome, name);
    }
  }));

Deno.test("connections are accepted and refused in the forms that wallets use", async () => {
  const forms: readonly (readonly [object, string])[] = [
    [connectEvent({ network: -3 }), "connected"],
    [connectEvent({}, { device: null }), "connected"],
    [connectEvent({ network: -239 }), "wrong_network"],
    [{ event: "connect_error", id: 1, payload: { code: 300, message: "no" } }, "wallet_declined"],
    [{ event: "connect_error", id: 1, payload: { code: "300" } }, "wallet_declined"],
    [{ event: "connect_error", id: 1, payload: null }, "wallet_unavailable"],
  ];
  for (const [answer, outcome] of forms) {
    await onBridge(async (scene) => {
      scene.connectAnswer = answer;
      equal(await scene.connect().then(() => "connected", (error) => error.code), outcome);
    });
  }
});

/** Time passes only in `pass`. */
class SteppedClock implements Clock {
  #now = Date.now();
  readonly #sleeps = new Set<{ readonly until: number; readonly end: () => void }>();

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#sleeps.delete(sleep);
        resolve();
      };
      const sleep = { until: this.#now + ms, end };
      this.#sleeps.add(sleep);
      if (signal?.aborted) end();
      signal?.addEventListener("abort", end);
    });
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const { until, end } of [...this.#sleeps]) if (until <= this.#now) end();
  }
}

Deno.test("a bridge whose connection stays open and silent is asked again for what it has not delivered", async () => {
  const clock = new SteppedClock();
  await onBridge(async (scene) => {
    const payer = await scene.connect();
    const [first] = scene.bridge.queries;
    scene.bridge.silence(first.get("client_id")!);
    const paid = scene.pay(payer);
    const known = scene.bridge.queries.length;
    let seconds = 0;
    const isReopened = () => {
      if (seconds++ < 40) clock.pass(1_000);
      return scene.bridge.queries.length > known;
    };
    await waitUntil("the page connects to the bridge again", isReopened);
    equal(await paid, "paid");
    const last = scene.bridge.queries.at(-1)!;
    equal(first.get("last_event_id"), null);
    equal(last.get("last_event_id"), "1", "the connect event is not delivered again");
    equal(last.get("heartbeat"), "message");
  }, clock);
});

Deno.test("a bridge that sends heartbeats is not asked again", async () => {
  const [clock, end] = [new SteppedClock(), new AbortController()];
  let connections = 0;
  const beat = Promise.withResolvers<() => void>();
  await using server = Deno.serve({ port: 0, onListen: () => {} }, () => {
    connections++;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const text = new TextEncoder().encode("event: message\r\ndata: heartbeat\r\n\r\n");
        beat.resolve(() => controller.enqueue(text));
        end.signal.addEventListener("abort", () => controller.close());
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  let beats = 0;
  const events = openBridgeEvents(clock)(`http://127.0.0.1:${server.addr.port}/events`, () => beats++);
  const sendBeat = await beat.promise;
  for (let i = 1; i <= 5; i++) {
    sendBeat();
    await waitUntil("the heartbeat arrived", () => beats === i);
    clock.pass(20_000);
  }
  equal(connections, 1);
  events.close();
  end.abort();
});
