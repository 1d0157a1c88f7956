/**
 * Mutation testing: makes one small change at a time to the sources and runs the tests. A mutant that no test detects
 * is a rule without a test.
 *
 * Usage: deno task mutants [flags]                         the contracts, see tolk/tolk_mutants.ts
 *        deno task mutants --typescript [folder] [flags]   `src/`, see typescript/typescript_mutants.ts
 */
await import(
  Deno.args[0] === "--typescript" ? "./typescript/typescript_mutants.ts" : "./tolk/tolk_mutants.ts"
);
