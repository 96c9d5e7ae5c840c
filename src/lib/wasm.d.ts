/** WebAssembly module that the bundler's CompiledWasm rule compiles. Two instances never share memory. */
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
