/** Generates requests from an OpenAPI document and validates answers against it. */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";

/** The part of OpenAPI 3.1 that this file uses. */
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

interface DocumentedResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

// deno-lint-ignore no-explicit-any
type Schema = any;

interface FuzzedRequest {
  readonly path: string;
  readonly method: string;
  readonly query: string;
  /** JSON, or other text. */
  readonly body?: string;
}

/**
 * Generates requests that the document allows, and variants with changes. @param likely values that pass the first
 * checks
 */
export function arbitraryRequests(
  api: OpenApi,
  likely: Readonly<Record<string, readonly string[]>>,
): fc.Arbitrary<FuzzedRequest> {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestOf(api, likely, path, method, operation))
  );
  return fc.oneof(...operations);
}

function requestOf(
  api: OpenApi,
  likely: Readonly<Record<string, readonly string[]>>,
  path: string,
  method: string,
  operation: Operation,
): fc.Arbitrary<FuzzedRequest> {
  const parameters = (operation.parameters ?? []).map(({ name, required, schema }) =>
    fc.tuple(
      fc.constant(name),
      mostly(arbitraryValue(api, schema, likely[name]).map(String), fc.string({ unit: "binary" })),
      required ? fc.constant(true) : fc.boolean(),
    )
  );
  const extra = fc.option(fc.tuple(fc.string(), fc.string(), fc.constant(true)), { nil: undefined, freq: 8 });
  const query = fc.tuple(fc.tuple(...parameters), extra).map(([known, more]) => {
    const all = [...known, ...more ? [more] : []].filter(([, , there]) => there);
    const text = new URLSearchParams(all.map(([name, value]): [string, string] => [name, value])).toString();
    return text === "" ? "" : `?${text}`;
  });
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const body = schema === undefined ? fc.constant(undefined) : mostly(
    mostly(arbitraryValue(api, schema, undefined, likely), fc.jsonValue()).map((value) =>
      JSON.stringify(value)
    ),
    fc.string({ unit: "binary" }),
  );
  return fc.record({ path: fc.constant(path), method: fc.constant(method.toUpperCase()), query, body })
    .map(({ body, ...request }) => body === undefined ? request : { ...request, body });
}

/** Generates mostly `good` values, sometimes `bad` ones. */
function mostly<T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: bad });
}

/** Generates values of a schema, sometimes with an invalid part. */
function arbitraryValue(
  api: OpenApi,
  schema: Schema,
  known?: readonly string[],
  likely: Readonly<Record<string, readonly string[]>> = {},
): fc.Arbitrary<unknown> {
  if (schema.$ref) {
    return arbitraryValue(api, api.components.schemas[schema.$ref.split("/").at(-1)], known, likely);
  }
  if (schema.oneOf) {
    const forms = schema.oneOf.map((each: Schema) =>
      each.type === "integer" ? fc.maxSafeNat() : arbitraryValue(api, each, known, likely)
    );
    return fc.oneof(...forms);
  }
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.type === "object") {
    const members = Object.entries<Schema>(schema.properties ?? {}).map(([name, member]) => {
      const value = mostly(arbitraryValue(api, member, likely[name], likely), fc.jsonValue());
      return [name, value] as const;
    });
    const required = mostly(fc.constant(schema.required ?? []), fc.constant([]));
    return required.chain((names: string[]) =>
      fc.record(Object.fromEntries(members), {
        requiredKeys: names.filter((name) => name in schema.properties),
      })
    );
  }
  if (schema.type === "array") {
    const { minItems = 0, maxItems = 4 } = schema;
    const exact = fc.array(arbitraryValue(api, schema.items, known, likely), {
      minLength: minItems,
      maxLength: maxItems,
    });
    const positions: fc.Arbitrary<unknown[]> = known && minItems === known.length
      ? fc.constant([...known])
      : exact;
    return mostly(positions, fc.array(fc.jsonValue(), { maxLength: maxItems + 1 }));
  }
  if (schema.type === "integer") {
    return fc.oneof(fc.integer({ min: schema.minimum ?? 0, max: 100 }), fc.maxSafeInteger());
  }
  if (schema.type === "boolean") return fc.boolean();
  const text = schema.pattern
    ? fc.stringMatching(new RegExp(schema.pattern), { size: "medium" })
    : fc.string({ unit: "binary" });
  const samples = [...known ?? [], ...schema.example === undefined ? [] : [schema.example]];
  return samples.length === 0 ? text : mostly(fc.constantFrom(...samples), text);
}

/** Returns the body in a route's examples. */
export function exampleBody(api: OpenApi, path: string): unknown {
  const of = (schema: Schema): unknown => {
    if (schema.$ref) return of(api.components.schemas[schema.$ref.split("/").at(-1)]);
    if (schema.example !== undefined) return schema.example;
    if (schema.enum) return schema.enum[0];
    if (schema.type === "array") return Array.from({ length: schema.minItems ?? 1 }, () => of(schema.items));
    if (schema.type !== "object") return schema.const;
    return Object.fromEntries(
      Object.entries<Schema>(schema.properties).map(([name, member]) => [name, of(member)]),
    );
  };
  return of(api.paths[path].post.requestBody!.content["application/json"].schema);
}

/** Returns a function that describes what is wrong with an answer, or returns undefined. */
export function createResponseValidator(api: OpenApi): (
  request: Pick<FuzzedRequest, "path" | "method">,
  answer: { readonly status: number; readonly headers: Headers; readonly body: unknown },
) => string | undefined {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "api", ...api as object });
  const pointer = (part: string) => part.replaceAll("~", "~0").replaceAll("/", "~1");
  return ({ path, method }, { status, headers, body }) => {
    const operation = api.paths[path][method.toLowerCase()];
    const answer = operation.responses[status];
    if (answer === undefined) return `status ${status} is not documented`;
    const type = headers.get("content-type")?.split(";")[0] ?? "";
    if (answer.content?.[type] === undefined) return `${status} in ${type} is not documented`;
    const place = `#/paths/${pointer(path)}/${method.toLowerCase()}/responses/${status}/content/${
      pointer(type)
    }/schema`;
    const validate = ajv.compile({ $ref: `api${encodeURI(place)}` });
    if (!validate(body)) return `${status} is of another shape: ${ajv.errorsText(validate.errors)}`;
    if (answer.headers?.["retry-after"] && !/^[1-9][0-9]*$/.test(headers.get("retry-after") ?? "")) {
      return `${status} has no Retry-After`;
    }
    if (type === "application/problem+json") {
      const { code } = body as { code: string };
      if (!answer.description.includes(`\`${code}\``)) return `code ${code} is not documented for ${status}`;
      if (status >= 500 && code === "internal") return "it is an internal error";
    }
    return undefined;
  };
}
