/** What embedded artifacts' names end in: anything else than `.wasm`, which `deno compile` would take for a module. */
export const EMBEDDED_SUFFIX = ".bin";
