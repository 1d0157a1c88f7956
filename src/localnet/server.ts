/**
 * HTTP in front of the methods: JSON-RPC at `/api/v2/jsonRPC`, and `GET` or `POST /api/v2/<method>`, errors in toncenter's
 * shape. Thin; it decides nothing.
 */
import { ExternalRefused, type Ledger } from "./ledger.ts";
import { methods, refusalText } from "./methods.ts";
import { type Params, RequestError } from "./params.ts";

const PREFIX = "/api/v2/";
const LONGEST_BODY = 4 * 2 ** 20;
const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "*",
};

interface Call {
  readonly method: string;
  readonly params: Params;
  /** Members that a JSON-RPC answer repeats. */
  readonly rpc?: { readonly jsonrpc: string; readonly id: unknown };
}

/** Answers one request. `onError` hears of failures that are this server's own. */
export async function handle(
  ledger: Ledger,
  request: Request,
  onError: (error: unknown) => void,
): Promise<Response> {
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
  let rpc: Call["rpc"];
  try {
    const call = await parse(request);
    rpc = call.rpc;
    const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
    if (!method) throw new RequestError(404, `method ${call.method.slice(0, 60)} is not known`);
    return json({ ok: true, result: await method(ledger, call.params), ...rpc });
  } catch (error) {
    const { code, message } = answerable(error, onError);
    return json({ ok: false, error: message, code, ...rpc }, code);
  }
}

async function parse(request: Request): Promise<Call> {
  const { pathname, searchParams } = new URL(request.url);
  const name = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : undefined;
  if (name === undefined) throw new RequestError(404, "Not Found");
  if (request.method === "GET") return { method: name, params: Object.fromEntries(searchParams) };
  if (request.method !== "POST") throw new RequestError(405, "Method Not Allowed");
  const text = await request.text();
  if (text.length > LONGEST_BODY) throw new RequestError(413, "Request Entity Too Large");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new RequestError(422, "body is no JSON");
  }
  const record = asRecord(body, "body");
  if (name !== "jsonRPC") return { method: name, params: record };
  if (typeof record.method !== "string") throw new RequestError(422, "method is missing");
  return {
    method: record.method,
    params: asRecord(record.params ?? {}, "params"),
    rpc: { jsonrpc: "2.0", id: record.id ?? null },
  };
}

function asRecord(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new RequestError(422, `${what} is no object`);
}

function answerable(error: unknown, onError: (error: unknown) => void): { code: number; message: string } {
  if (error instanceof RequestError) return error;
  if (error instanceof ExternalRefused) return { code: 500, message: refusalText(error) };
  onError(error);
  return { code: 500, message: "Internal error" };
}

function json(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: cors });
}
