import { type Kernels, wasmKernels } from './kernels/kernels.ts';

/** Chunks are known inside a shard by 16 bits. */
export const MOST_CHUNKS = 65_536;
export const MOST_DIMENSIONS = 3_072;
const CODE_BUDGET = 50_331_648;

/** How many chunks a shard takes: fewer when vectors are long, so that a full one stays below about 60 MB. */
export function capacityOf(dimension: number | null): number {
  return Math.min(MOST_CHUNKS, dimension === null ? MOST_CHUNKS : Math.floor(CODE_BUDGET / dimension));
}

export const MASK_BYTES = MOST_CHUNKS / 8;
/** The most results that `threshold` can be asked for. */
export const MOST_RESULTS = 4_096;
const PAGE = 65_536;

const sizes = {
  mask: MASK_BYTES,
  ones: MASK_BYTES,
  ids: MOST_CHUNKS * 2,
  frequencies: MOST_CHUNKS,
  found: MOST_CHUNKS * 2,
  heap: MOST_RESULTS * 4,
  query: MOST_DIMENSIONS,
  scores: MOST_CHUNKS * 4,
  norms: MOST_CHUNKS * 4,
  scales: MOST_CHUNKS * 4,
};

type Region = keyof typeof sizes;

/** Where each region starts; the codes follow the last one and grow. */
export const AT = (() => {
  let end = 0;
  const at: Partial<Record<Region, number>> = {};
  for (const [region, bytes] of Object.entries(sizes) as [Region, number][]) {
    at[region] = end;
    end += bytes;
  }
  return { ...(at as Record<Region, number>), codes: end };
})();

/** The memory that the kernels of one shard work on. Views are made anew because growing detaches old ones. */
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

  /** Makes room for this many bytes of codes and, where it has to grow, for so many to come. */
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
