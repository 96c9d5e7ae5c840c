import { type Kernels, wasmKernels } from './kernels/kernels.ts';

/** Maximum number of chunks in a shard. Local chunk ids have 16 bits. */
export const MAX_CHUNKS = 65_536;
export const MAX_DIMENSIONS = 3_072;
const CODE_BUDGET = 50_331_648;

/**
 * Returns the maximum number of chunks in a shard. Longer vectors reduce it, so that a full shard takes less
 * than about 60 MB of memory.
 */
export function getShardCapacity(dimension: number | null): number {
  return Math.min(MAX_CHUNKS, dimension === null ? MAX_CHUNKS : Math.floor(CODE_BUDGET / dimension));
}

export const MASK_BYTES = MAX_CHUNKS / 8;
/** Maximum number of results that the `threshold` kernel, which finds the k-th best score, can return. */
export const MAX_RESULTS = 4_096;
const PAGE = 65_536;

const sizes = {
  mask: MASK_BYTES,
  ones: MASK_BYTES,
  ids: MAX_CHUNKS * 2,
  frequencies: MAX_CHUNKS,
  found: MAX_CHUNKS * 2,
  heap: MAX_RESULTS * 4,
  query: MAX_DIMENSIONS,
  scores: MAX_CHUNKS * 4,
  norms: MAX_CHUNKS * 4,
  scales: MAX_CHUNKS * 4,
};

type Region = keyof typeof sizes;

/** Start address of each memory region. The vector codes follow the last region and grow. */
export const AT = (() => {
  let end = 0;
  const at: Partial<Record<Region, number>> = {};
  for (const [region, bytes] of Object.entries(sizes) as [Region, number][]) {
    at[region] = end;
    end += bytes;
  }
  return { ...(at as Record<Region, number>), codes: end };
})();

/**
 * WebAssembly memory of one shard's kernels. Each access creates a new view, because growing the memory
 * detaches existing views.
 */
export class ShardMemory {
  readonly #memory = new WebAssembly.Memory({ initial: Math.ceil(AT.codes / PAGE) });
  readonly kernels: Kernels;

  constructor(kernels: (memory: WebAssembly.Memory) => Kernels = wasmKernels) {
    this.kernels = kernels(this.#memory);
    this.bytes(AT.ones, MASK_BYTES).fill(0xff);
  }

  get byteLength(): number {
    return this.#memory.buffer.byteLength;
  }

  /**
   * Grows the memory to hold `bytes` bytes of codes. If it has to grow, it also reserves `toCome` bytes for
   * later codes.
   */
  growCodes(bytes: number, toCome = 0): void {
    const missing = AT.codes + bytes - this.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil((missing + toCome) / PAGE));
  }

  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, length);
  }

  words(address: number, length: number): Uint16Array {
    return new Uint16Array(this.#memory.buffer, address, length);
  }

  floats(address: number, length: number): Float32Array {
    return new Float32Array(this.#memory.buffer, address, length);
  }
}
