import type { Ledger } from "../ledger.ts";
import { ExternalMessageRejected } from "../transaction_executor.ts";
import { rejectionText } from "./message_methods.ts";
import { toncenterMethods } from "./toncenter_methods.ts";
import { type Params, RequestError } from "./request_params.ts";

const API_PREFIX = "/api/v2/";
const MAX_BODY_CHARS = 4 * 2 ** 20;
const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "*",
};

interface MethodCall {
  readonly method: string;
  readonly params: Params;
  readonly rpc?: { readonly jsonrpc: string; readonly id: unknown };
}

export async function handleRequest(
  ledger: Ledger,
  request: Request,
  onError: (error: unknown) => void,
): Promise<Response> {
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: corsHeaders });
  let rpc: MethodCall["rpc"];
  try {
    const call = await parseRequest(request);
    rpc = call.rpc;
    const method = Object.hasOwn(toncenterMethods, call.method) ? toncenterMethods[call.method] : undefined;
    if (!method) throw new RequestError(404, `method ${call.method.slice(0, 60)} is not known`);
    return jsonResponse({ ok: true, result: await method(ledger, call.params), ...rpc });
  } catch (error) {
    const { code, message } = toErrorReply(error, onError);
    return jsonResponse({ ok: false, error: message, code, ...rpc }, code);
  }
}

async function parseRequest(request: Request): Promise<MethodCall> {
  const { pathname, searchParams } = new URL(request.url);
  const name = pathname.startsWith(API_PREFIX) ? pathname.slice(API_PREFIX.length) : undefined;
  if (name === undefined) throw new RequestError(404, "Not Found");
  if (request.method === "GET") return { method: name, params: Object.fromEntries(searchParams) };
  if (request.method !== "POST") throw new RequestError(405, "Method Not Allowed");
  const text = await request.text().catch(() => {
    throw new RequestError(400, "the request ended before its body was complete");
  });
  if (text.length > MAX_BODY_CHARS) throw new RequestError(413, "Request Entity Too Large");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new RequestError(422, "body is not JSON");
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
  throw new RequestError(422, `${what} is not an object`);
}

function toErrorReply(error: unknown, onError: (error: unknown) => void): { code: number; message: string } {
  if (error instanceof RequestError) return error;
  if (error instanceof ExternalMessageRejected) return { code: 500, message: rejectionText(error) };
  onError(error);
  return { code: 500, message: "Internal error" };
}

function jsonResponse(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: corsHeaders });
}
