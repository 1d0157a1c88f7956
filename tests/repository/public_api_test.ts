/** Docstrings of the library's public API, as `deno doc` reads them. */
import assert from "node:assert/strict";
import { problems } from "../../src/core/errors/problem.ts";
import { runCommand } from "../../testkit/programs/run_command.ts";

interface DocTag {
  readonly kind: string;
  readonly name?: string;
  readonly doc?: string;
}

interface DocType {
  readonly kind: string;
  readonly repr?: string;
}

interface DocParameter {
  readonly kind: string;
  readonly name?: string;
  readonly tsType?: DocType;
  /** The parameter itself, if it has a default. */
  readonly left?: DocParameter;
}

interface Declaration {
  readonly name: string;
  readonly kind: string;
  readonly declarationKind: string;
  readonly location: { readonly filename: string; readonly line: number };
  readonly jsDoc?: { readonly doc?: string; readonly tags?: readonly DocTag[] };
  readonly def: { readonly params?: readonly DocParameter[] };
}

const SCALARS = ["number", "bigint", "string", "boolean"];

const root = new URL("../../", import.meta.url);
const { code, stdout, stderr } = await runCommand(Deno.execPath(), ["doc", "--json", "src/mod.ts"], {
  cwd: root,
});
assert.equal(code, 0, stderr);
const [{ symbols }] = Object.values(JSON.parse(stdout).nodes) as {
  symbols: { name: string; declarations: Omit<Declaration, "name">[] }[];
}[];
const declarations: Declaration[] = symbols.flatMap(({ name, declarations }) =>
  declarations.map((declaration) => ({ ...declaration, name }))
);
const functions = declarations.filter(({ kind }) => kind === "function");
const tagsOf = ({ jsDoc }: Declaration, kind: string) =>
  jsDoc?.tags?.filter((tag) => tag.kind === kind) ?? [];

/** Returns the source of a top-level function, to its closing brace. */
async function sourceOf({ location }: Declaration): Promise<string> {
  const lines = (await Deno.readTextFile(new URL(location.filename))).split("\n").slice(location.line);
  return lines.slice(0, lines.indexOf("}") + 1).join("\n");
}

Deno.test("everything that the library exports has a docstring", () => {
  assert.ok(
    functions.length > 70 && declarations.length > 200,
    `${functions.length}, ${declarations.length}`,
  );
  const missing = declarations.filter(({ jsDoc }) => !/^[^]*[.:]/.test(jsDoc?.doc ?? ""));
  assert.deepEqual(missing.map(({ name }) => name), []);
});

Deno.test("the docstring of every exported function has an example", () => {
  const missing = functions.filter((each) => tagsOf(each, "example").length === 0);
  assert.deepEqual(missing.map(({ name }) => name), []);
});

Deno.test("every number, bigint, string or boolean argument of an exported function has a @param", () => {
  const missing: string[] = [];
  for (const each of functions) {
    const documented = tagsOf(each, "param").filter(({ doc }) => doc).map(({ name }) => name);
    for (const parameter of each.def.params ?? []) {
      const { kind, name = "", tsType } = parameter.left ?? parameter;
      // Without a type, the default value is a number.
      if (
        kind === "identifier" && SCALARS.includes(tsType ? tsType.repr ?? "" : "number") &&
        !documented.includes(name)
      ) {
        missing.push(`${each.name}: ${name}`);
      }
    }
  }
  assert.deepEqual(missing, []);
});

/** Returns the problem codes that a docstring names, and those of the functions and types that it refers to. */
function namedCodes(declaration: Declaration): Set<string> {
  const { doc = "", tags = [] } = declaration.jsDoc ?? {};
  const throwsTags = tags.filter(({ kind }) => kind === "throws").map((tag) => tag.doc).join("\n");
  const text = declaration.kind === "function" ? throwsTags : doc;
  const words = [...text.matchAll(/`([a-z_]+)`/g)].map(([, word]) => word);
  const codes = new Set(words.filter((word) => word in problems || word.includes("_")));
  for (const [, name] of throwsTags.matchAll(/ as \{@linkcode (\w+)\}/g)) {
    const other = declarations.find((each) => each.name === name);
    assert.ok(other, `${declaration.name} refers to ${name}`);
    for (const code of namedCodes(other)) codes.add(code);
  }
  return codes;
}

Deno.test("@throws names problem codes that exist, among them all that the function's own body throws", async () => {
  let thrown = 0;
  for (const each of functions) {
    const named = namedCodes(each);
    for (const code of named) assert.ok(code in problems, `${each.name}: @throws ${code}`);
    for (const [, code] of (await sourceOf(each)).matchAll(/throw new Problem\(\s*"([a-z_]+)"/g)) {
      assert.ok(named.has(code), `${each.name} throws ${code}`);
      thrown++;
    }
  }
  assert.ok(thrown > 15, String(thrown));
});
