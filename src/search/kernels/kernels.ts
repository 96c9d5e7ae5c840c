import module from './kernels.wasm';

/**
 * The inner loops over a shard's memory; addresses are bytes. kernels.wat says what each does, and
 * kernels-plain.ts is the same in TypeScript.
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
  countListed(ids: number, count: number, mask: number): number;
  threshold(scores: number, mask: number, count: number, k: number, floor: number, heap: number): number;
  collect(scores: number, mask: number, count: number, floor: number, bound: number, found: number): number;
}

export function wasmKernels(memory: WebAssembly.Memory): Kernels {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernels;
}
