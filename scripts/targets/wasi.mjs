// Runs a wasm32-wasip1 program in node: node wasi.mjs PROGRAM [ARGUMENT...]. The program sees the whole file system and
// the environment; its exit status becomes that of node.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [path, ...rest] = process.argv.slice(2);
const wasi = new WASI({
  version: "preview1",
  args: [path, ...rest],
  env: process.env,
  preopens: { "/": "/" },
});
const module = await WebAssembly.compile(await readFile(path));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
