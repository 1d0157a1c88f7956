/** Bundles the declarations of the public surface into one file for each entry. */
import { dts } from "rollup-plugin-dts";

export default ["node", "browser"].map((entry) => ({
  input: `tools/npm/${entry}.ts`,
  output: { file: `package/dist/${entry}.d.ts` },
  external: (id) => !/^[./]/.test(id),
  plugins: [dts({ tsconfig: "tools/npm/tsconfig.json" })],
}));
