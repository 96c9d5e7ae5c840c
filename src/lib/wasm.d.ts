/** Compiled by the bundler's CompiledWasm rule; never instantiated twice with the same memory. */
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
