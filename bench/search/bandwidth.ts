import { readFileSync } from 'node:fs';
import wabt from 'wabt';
import type { Kernels } from '../../src/search/kernels/kernels.ts';

/** Module that reads memory as fast as WebAssembly can, with four accumulators. */
const READ = `(module
  (import "env" "memory" (memory 1))
  (func (export "read") (param $at i32) (param $end i32) (result i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (loop $next
      (local.set $a (v128.or (local.get $a) (v128.load (local.get $at))))
      (local.set $b (v128.or (local.get $b) (v128.load offset=16 (local.get $at))))
      (local.set $c (v128.or (local.get $c) (v128.load offset=32 (local.get $at))))
      (local.set $d (v128.or (local.get $d) (v128.load offset=48 (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
    (i32x4.extract_lane 0
      (v128.or (v128.or (local.get $a) (local.get $b)) (v128.or (local.get $c) (local.get $d))))))`;

const RUNS = 60;

function fastest(run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i++) {
    const started = performance.now();
    run();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

const compiler = await wabt();
const readBytes = compiler.parseWat('read.wat', READ, { simd: true }).toBinary({}).buffer;
const kernelBytes = readFileSync(new URL('../../src/search/kernels/kernels.wasm', import.meta.url));

/**
 * Measures the speed of reading `count` codes in this process, with a plain loop and with the scan kernel.
 */
export function measureBandwidth(count: number, dimension: number) {
  const bytes = count * dimension;
  const memory = new WebAssembly.Memory({ initial: Math.ceil((bytes + 8 * count + 4_096) / 65_536) });
  new Uint8Array(memory.buffer).fill(65);
  const instantiate = (code: BufferSource) =>
    new WebAssembly.Instance(new WebAssembly.Module(code), { env: { memory } }).exports;
  const { read } = instantiate(readBytes as BufferSource) as { read: (at: number, end: number) => number };
  const { scan } = instantiate(kernelBytes as BufferSource) as unknown as Kernels;
  const scales = bytes + 4_096;
  const reading = fastest(() => read(0, bytes));
  const scanning = fastest(() => scan(bytes, 0, scales, scales + 4 * count, count, dimension, 0));
  return {
    readGigabytes: bytes / reading / 1e6,
    scanGigabytes: bytes / scanning / 1e6,
    scanMilliseconds: scanning,
  };
}
