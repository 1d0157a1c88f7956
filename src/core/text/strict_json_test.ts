import assert from "node:assert/strict";
import { DuplicateKeyError, parseStrictJson } from "./strict_json.ts";

Deno.test("JSON in whatever form is read as it is", () => {
  const texts = [
    "null",
    "1.0",
    '"a:b"',
    '{"a":{"a":[{"a":1},{"a":2}]},"b":"\\":\\\\"}',
    '{ "a" :\n\t"\\u003a" , "\\"" : ":" }',
    '{"__proto__":{"x":1},"constructor":2,"":3,"1":[[],{}]}',
  ];
  for (const text of texts) assert.deepEqual(parseStrictJson(text), JSON.parse(text));
});

Deno.test("two members of one name are refused, however they are hidden", () => {
  const texts = [
    '{"purpose":"A","purpose":"B"}',
    '{"purpose":"A","purpose":"A"}',
    '{"purpose":"A","\\u0070urpose":"B"}',
    '[{"x":[{"y":1,"z":{"y":"\\\\","y":":"}}]}]',
    '{"a":{"b":1},"a":2}',
    '{"__proto__":1,"__proto__":{"x":2}}',
  ];
  for (const text of texts) assert.throws(() => parseStrictJson(text), DuplicateKeyError, text);
});

Deno.test("what is not JSON is refused as such", () => {
  for (const text of ["", "{", '{"a":1,}', "a:b"]) assert.throws(() => parseStrictJson(text), SyntaxError);
});
