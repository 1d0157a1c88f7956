/** Serves the API of a relayer whose chain endpoint is down: information, shapes and policy still work. */
import { equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { mnemonicNew } from "@ton/crypto";
import { addressToField } from "../../src/core/protocol/messages/address_field.ts";
import { parseDeployments } from "../../src/core/protocol/deployments.ts";
import { problems } from "../../src/core/errors/problem.ts";
import { type Relayer, startRelayer } from "../../src/relay/relayer.ts";
import { openKvStore } from "../../src/store/kv/kv_store.ts";
import { rootLog } from "../../src/telemetry/log.ts";
import { connect } from "../../src/ton/endpoint/toncenter.ts";
import { openWallet } from "../../src/ton/wallet/wallet.ts";
import { type AppOptions, createApp } from "../../src/http/app.ts";
import { requestApp } from "../support/relayer/request_app.ts";

// No server listens there. The pools never become ready, and tests request every route that must still
// respond.
const chain = connect({ endpoint: "http://127.0.0.1:9/api/v2/jsonRPC", attempts: 1 });
export const wallet = await openWallet((await mnemonicNew()).join(" "), {
  version: "v4R2",
  network: "localnet",
  chain,
});
export const pool = Address.parse(`0:${"ab".repeat(32)}`);
export const unknownPool = Address.parse(`0:${"cd".repeat(32)}`);
export const recipient = Address.parse(`-1:${"11".repeat(32)}`);
const deployments = parseDeployments({
  network: "localnet",
  pools: {
    "native-10": {
      address: pool.toRawString(),
      asset: "native",
      amount: "10",
      denomination: "10000000000",
      deployedSeqno: 7,
      codeHash: "00".repeat(32),
      vkeyHash: "11".repeat(32),
      owner: null,
      maxRefund: "100000000",
    },
  },
});

type App = ReturnType<typeof createApp>;

export async function withApi(
  act: (ask: ApiClient) => Promise<void>,
  options: AppOptions = {},
  wrap?: (relayer: Relayer) => Relayer,
): Promise<void> {
  await withApiAndApp(
    (app) =>
      act(async (path, init, env) => {
        const response = await requestApp(app, path, init, env);
        return { response, status: response.status, body: await response.json().catch(() => undefined) };
      }),
    options,
    wrap,
  );
}

export async function withApiAndApp(
  act: (app: App) => Promise<void>,
  options: AppOptions = {},
  wrap: (relayer: Relayer) => Relayer = (relayer) => relayer,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "tonado-http-" });
  const relayer = startRelayer({
    config: { network: "localnet", batchMs: 0, fee: { bps: 50, minNano: 50_000_000n }, endpoint: {} },
    chain,
    wallet,
    store: await openKvStore(directory),
    prover: { verify: () => Promise.reject(new Error("no proof gets so far here")) },
    vkeyHashes: { 1: "11".repeat(32) },
    deployments,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    log: rootLog(),
  });
  const app = createApp(wrap(relayer), rootLog(), options);
  try {
    await act(app);
  } finally {
    await relayer.close();
    await Deno.remove(directory, { recursive: true });
  }
}

// deno-lint-ignore no-explicit-any
export type ApiResponse = { response: Response; status: number; body: any };
export type ApiClient = (path: string, init?: RequestInit, env?: { peer: string }) => Promise<ApiResponse>;

export const post = (body: unknown, type = "application/json"): RequestInit => ({
  method: "POST",
  headers: { "content-type": type },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

export function isProblem(
  { response, status, body }: ApiResponse,
  code: keyof typeof problems,
  pointer?: string,
): void {
  equal(body?.code, code, JSON.stringify(body));
  equal(status, problems[code].status);
  equal(body.status, status);
  equal(response.headers.get("content-type"), "application/problem+json");
  for (const member of ["type", "title", "detail"]) equal(typeof body[member], "string");
  if (pointer !== undefined) {
    ok(
      body.errors.some((error: { pointer: string }) => error.pointer === pointer),
      JSON.stringify(body.errors),
    );
  }
}

export const fee = "50000000";
export const payload = {
  pool: pool.toString(),
  proof: {
    pi_a: ["1", "2", "1"],
    pi_b: [["1", "2"], ["3", "4"], ["1", "0"]],
    pi_c: ["5", "6", "1"],
    protocol: "groth16",
    curve: "bls12381",
  },
  publicSignals: [
    "5",
    "6",
    String(addressToField(recipient)),
    String(addressToField(wallet.address)),
    fee,
    "0",
  ],
  recipient: recipient.toString(),
  fee,
  refund: "0",
};
/** Returns the payload with one member changed, by JSON pointer; undefined removes it. */
export function alterPayload(pointer: string, value: unknown): unknown {
  const copy = structuredClone(payload);
  const path = pointer.split("/").slice(1);
  // deno-lint-ignore no-explicit-any
  const parent = path.slice(0, -1).reduce((node: any, part) => node[part], copy);
  if (value === undefined) delete parent[path.at(-1)!];
  else parent[path.at(-1)!] = value;
  return copy;
}
export const signal = (index: number, value: unknown, also: Record<string, unknown> = {}) => ({
  ...alterPayload(`/publicSignals/${index}`, value) as typeof payload,
  ...also,
});
