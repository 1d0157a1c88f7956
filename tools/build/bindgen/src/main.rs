//! Writes the JavaScript glue of a WebAssembly module, as `wasm-bindgen MODULE --target web --out-dir FOLDER` does. The
//! command itself comes with a web server and a test runner, and takes three times as long to build.
//!
//! Usage: bindgen MODULE FOLDER
use std::env;

use anyhow::{bail, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        bail!("usage: bindgen MODULE FOLDER");
    };
    Bindgen::new()
        .input_path(module)
        .web(true)?
        .typescript(true)
        .omit_default_module_path(false)
        .generate(folder)
}
