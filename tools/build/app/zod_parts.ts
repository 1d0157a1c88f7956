/** Leaves out the part of zod that describes schemas as JSON Schema. The app only checks values. */
import type { Plugin } from "esbuild";

const LEFT_OUT = /\/(json-schema-processors|to-json-schema)\.js$/;
const NAMESPACE = "json-schema";
const CONTENTS = `
const leftOut = () => { throw new Error("the app has no JSON Schema"); };
exports.createToJSONSchemaMethod = exports.createStandardJSONSchemaMethod = () => leftOut;
`;

export const withoutJsonSchema: Plugin = {
  name: "zod without JSON Schema",
  setup(build) {
    build.onResolve(
      { filter: LEFT_OUT },
      ({ importer }) =>
        importer.endsWith("/zod/v4/classic/schemas.js")
          ? { path: NAMESPACE, namespace: NAMESPACE }
          : undefined,
    );
    build.onLoad({ filter: /./, namespace: NAMESPACE }, () => ({ contents: CONTENTS, loader: "js" }));
  },
};
