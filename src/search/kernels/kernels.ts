import module from './kernels.wasm';

/**
 * Inner loops over a shard's memory. Addresses are byte offsets. kernels.wat documents each function, and
 * kernels-plain.ts implements the same functions in TypeScript.
 */
export interface Kernels {
  scan(
    query: number,
    codes: number,
    scales: number,
    scores: number,
    count: number,
    stride: number,
    correction: number,
  ): void;
  scanListed(
    query: number,
    codes: number,
    scales: number,
    scores: number,
    ids: number,
    count: number,
    stride: number,
    correction: number,
  ): void;
  addTerm(
    ids: number,
    frequencies: number,
    count: number,
    norms: number,
    scores: number,
    weight: number,
  ): void;
  addWeighted(
    ids: number,
    frequencies: number,
    count: number,
    scales: number,
    scores: number,
    weight: number,
  ): void;
  countListed(ids: number, count: number, mask: number): number;
  threshold(scores: number, mask: number, count: number, k: number, floor: number, heap: number): number;
  collect(scores: number, mask: number, count: number, floor: number, bound: number, found: number): number;
}

export function wasmKernels(memory: WebAssembly.Memory): Kernels {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernels;
}
