import { readFileSync } from 'node:fs';
import type { Kernels } from '../../src/search/kernels/kernels.ts';

const kernelBytes = readFileSync(new URL('../../src/search/kernels/kernels.wasm', import.meta.url));

/** Number of chunks in a full shard, and share of them that contain the term. */
const CHUNKS = 65_536;
const SHARE = 0.5;
const RUNS = 200;

/**
 * Measures the kernels that add the scores of one term, in nanoseconds for each posting. Both run in turn, so that a
 * change of the machine's speed affects both.
 */
export function measureScoring(): { bm25: number; weighted: number } {
  const count = CHUNKS * SHARE;
  const [ids, frequencies, norms, scores] = [0, 2 * CHUNKS, 3 * CHUNKS, 7 * CHUNKS];
  const memory = new WebAssembly.Memory({ initial: (11 * CHUNKS) / 65_536 });
  new Uint16Array(memory.buffer, ids, count).set(Array.from({ length: count }, (_, at) => at / SHARE));
  new Uint8Array(memory.buffer, frequencies, count).set(
    Array.from({ length: count }, (_, at) => 1 + (at % 255)),
  );
  new Float32Array(memory.buffer, norms, CHUNKS).fill(0.9);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(kernelBytes), { env: { memory } });
  const { addTerm, addWeighted } = exports as unknown as Kernels;
  const fastest = { bm25: Number.POSITIVE_INFINITY, weighted: Number.POSITIVE_INFINITY };
  const time = (name: keyof typeof fastest, add: typeof addTerm) => {
    const started = performance.now();
    add(ids, frequencies, count, norms, scores, 0.001);
    fastest[name] = Math.min(fastest[name], ((performance.now() - started) * 1e6) / count);
  };
  for (let run = 0; run < RUNS; run++) {
    time('bm25', addTerm);
    time('weighted', addWeighted);
  }
  return fastest;
}
