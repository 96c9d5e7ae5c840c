import { countBits, listBits } from './bitset.ts';
import { AT, getShardCapacity, MASK_BYTES, MAX_RESULTS, type ShardMemory } from './memory.ts';
import { encodeQuery, encodeVector, getCodeStride } from './vectors.ts';

/**
 * If fewer than one in eight chunks are allowed by the filter, only their vectors are read instead of all
 * vectors of the shard.
 */
const SWEEP_FRACTION = 8;
/** Safety margin around approximate similarities, in standard deviations of their quantization error. */
const ERROR_DEVIATIONS = 5;

/** Quantized vectors (codes) of a shard, stored in the memory of the WebAssembly kernels. */
export class DenseCodes {
  readonly dimension: number;
  readonly stride: number;
  readonly #memory: ShardMemory;
  /** Highest local chunk id that has a quantized vector, plus one. */
  #end = 0;
  #coarsest = 0;

  constructor(memory: ShardMemory, dimension: number) {
    this.#memory = memory;
    this.dimension = dimension;
    this.stride = getCodeStride(dimension);
  }

  /**
   * Returns the memory in bytes for the quantized vectors below local chunk id `end`, plus some bytes that
   * the kernel reads past the end.
   */
  #getCodeBytes(end: number): number {
    return (end + 4) * this.stride;
  }

  /**
   * Returns by how many bytes the memory must grow to hold the quantized vectors below local chunk id `end`.
   */
  getMissingBytes(end: number): number {
    return Math.max(0, AT.codes + this.#getCodeBytes(end) - this.#memory.byteLength);
  }

  /**
   * Grows the memory when chunks are added one by one. Reserves a quarter more than needed so that growing is
   * rare, but never more than the shard's capacity.
   */
  #growTo(end: number): void {
    if (end <= this.#end) return;
    this.#end = end;
    const maxChunks = Math.max(end, getShardCapacity(this.dimension));
    this.#memory.growCodes(
      this.#getCodeBytes(end),
      Math.min(Math.ceil(end / 4), maxChunks - end) * this.stride,
    );
  }

  /** Grows the memory to hold the stored chunks, without reserving space for later ones. */
  reserve(end: number): void {
    this.#memory.growCodes(this.#getCodeBytes(end));
  }

  set(local: number, vector: Float32Array): void {
    this.#growTo(local + 1);
    const code = this.#memory.bytes(AT.codes + local * this.stride, this.stride);
    this.#setScale(local, encodeVector(vector, code));
  }

  #setScale(local: number, scale: number): void {
    this.#memory.floats(AT.scales, local + 1)[local] = scale;
    this.#coarsest = Math.max(this.#coarsest, scale);
  }

  /** Loads the quantized vectors and scales of consecutive local chunk ids, as returned by `read`. */
  load(first: number, codes: Uint8Array, scales: Float32Array): void {
    this.#growTo(first + scales.length);
    this.#memory.bytes(AT.codes + first * this.stride, codes.length).set(codes);
    this.#memory.floats(AT.scales + 4 * first, scales.length).set(scales);
    for (const scale of scales) this.#coarsest = Math.max(this.#coarsest, scale);
  }

  read(first: number, count: number): { codes: Uint8Array; scales: Float32Array } {
    const codes = new Uint8Array(count * this.stride);
    const known = Math.max(0, Math.min(count, this.#end - first));
    codes.set(this.#memory.bytes(AT.codes + first * this.stride, known * this.stride));
    return { codes, scales: this.#memory.floats(AT.scales + 4 * first, count).slice() };
  }

  /**
   * Prepares a search over the chunks whose bits are set in `allowed`. `findTop(k)` lists the chunks with the
   * k highest approximate similarities, including ties. `findAbove(similarity)` lists the chunks whose exact
   * similarity may reach the given value.
   */
  search(query: Float32Array, allowed: Uint8Array): DenseSearch {
    const { code, scale, correction } = encodeQuery(query);
    const memory = this.#memory;
    const { kernels } = memory;
    memory.bytes(AT.query, this.stride).set(new Uint8Array(code.buffer));
    const count = countBits(allowed);
    const swept = count * SWEEP_FRACTION > this.#end;
    const listed = swept ? undefined : Uint16Array.from(listBits(allowed));
    if (listed === undefined) {
      memory.bytes(AT.mask, MASK_BYTES).set(allowed);
      kernels.scan(AT.query, AT.codes, AT.scales, AT.scores, this.#end, this.stride, correction);
    } else {
      memory.words(AT.ids, listed.length).set(listed);
      memory.bytes(AT.mask, MASK_BYTES).fill(0);
      const bits = memory.bytes(AT.mask, MASK_BYTES);
      bits.fill(0xff, 0, listed.length >> 3);
      if (listed.length % 8 > 0) bits[listed.length >> 3] = (1 << (listed.length % 8)) - 1;
      const { stride } = this;
      kernels.scanListed(AT.query, AT.codes, AT.scales, AT.scores, AT.ids, listed.length, stride, correction);
    }
    const scored = listed?.length ?? this.#end;
    const margin = ERROR_DEVIATIONS * Math.sqrt((scale ** 2 + this.#coarsest ** 2) / 12);
    const collect = (bound: number): number[] => {
      const found = kernels.collect(AT.scores, AT.mask, scored, Number.NEGATIVE_INFINITY, bound, AT.found);
      return Array.from(memory.words(AT.found, found), (i) => listed?.[i] ?? i);
    };
    return {
      findTop: (k) => {
        const wanted = Math.min(k, MAX_RESULTS);
        if (wanted >= count) return listBits(allowed);
        return collect(
          kernels.threshold(AT.scores, AT.mask, scored, wanted, Number.NEGATIVE_INFINITY, AT.heap),
        );
      },
      // The kernel's scores are not multiplied by the query's scale, so the bound is divided by the scale.
      findAbove: (similarity) => (scale === 0 ? [] : collect((similarity - margin) / scale)),
    };
  }
}

export interface DenseSearch {
  findTop(k: number): number[];
  findAbove(similarity: number): number[];
}
