import { countBits, listBits } from './bitset.ts';
import { AT, capacityOf, MASK_BYTES, MOST_RESULTS, type ShardMemory } from './memory.ts';
import { encodeQuery, encodeVector, strideOf } from './vectors.ts';

/** With fewer allowed chunks than one in this many, codes are read one by one and not swept. */
const SWEEP_ABOVE = 8;
/** How many standard deviations of its error a score is trusted by. */
const CAUTION = 5;

/** The vectors of a shard as codes in the kernels' memory. */
export class DenseCodes {
  readonly dimension: number;
  readonly stride: number;
  readonly #memory: ShardMemory;
  /** One more than the highest local id that has a code. */
  #end = 0;
  #coarsest = 0;

  constructor(memory: ShardMemory, dimension: number) {
    this.#memory = memory;
    this.dimension = dimension;
    this.stride = strideOf(dimension);
  }

  /** Bytes of codes up to this local id; the kernel reads a few beyond. */
  #bytesTo(end: number): number {
    return (end + 4) * this.stride;
  }

  /** What the memory lacks for codes up to this local id. */
  missingFor(end: number): number {
    return Math.max(0, AT.codes + this.#bytesTo(end) - this.#memory.byteLength);
  }

  /** For chunks one by one: a quarter more, so that growing is rare, and no more than the shard can take. */
  #reach(end: number): void {
    if (end <= this.#end) return;
    this.#end = end;
    const most = Math.max(end, capacityOf(this.dimension));
    this.#memory.growCodes(this.#bytesTo(end), Math.min(Math.ceil(end / 4), most - end) * this.stride);
  }

  /** For chunks that are there already: no more than they take. */
  reserve(end: number): void {
    this.#memory.growCodes(this.#bytesTo(end));
  }

  set(local: number, vector: Float32Array): void {
    this.#reach(local + 1);
    const code = this.#memory.bytes(AT.codes + local * this.stride, this.stride);
    this.#setScale(local, encodeVector(vector, code));
  }

  #setScale(local: number, scale: number): void {
    this.#memory.floats(AT.scales, local + 1)[local] = scale;
    this.#coarsest = Math.max(this.#coarsest, scale);
  }

  /** Codes and scales of a run of local ids, as `read` gave them. */
  load(first: number, codes: Uint8Array, scales: Float32Array): void {
    this.#reach(first + scales.length);
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
   * A search over the allowed chunks (bits). `atLeast(k)` lists those whose approximate similarity is among the k
   * highest, all of a tie; `above(similarity)` those that may well reach an exact similarity.
   */
  search(query: Float32Array, allowed: Uint8Array): DenseSearch {
    const { code, scale, correction } = encodeQuery(query);
    const memory = this.#memory;
    const { kernels } = memory;
    memory.bytes(AT.query, this.stride).set(new Uint8Array(code.buffer));
    const count = countBits(allowed);
    const swept = count * SWEEP_ABOVE > this.#end;
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
    const margin = CAUTION * Math.sqrt((scale ** 2 + this.#coarsest ** 2) / 12);
    const collect = (bound: number): number[] => {
      const found = kernels.collect(AT.scores, AT.mask, scored, Number.NEGATIVE_INFINITY, bound, AT.found);
      return Array.from(memory.words(AT.found, found), (i) => listed?.[i] ?? i);
    };
    return {
      atLeast: (k) => {
        const wanted = Math.min(k, MOST_RESULTS);
        if (wanted >= count) return listBits(allowed);
        return collect(
          kernels.threshold(AT.scores, AT.mask, scored, wanted, Number.NEGATIVE_INFINITY, AT.heap),
        );
      },
      // Kernel scores lack the query's scale, which is the same for all.
      above: (similarity) => (scale === 0 ? [] : collect((similarity - margin) / scale)),
    };
  }
}

export interface DenseSearch {
  atLeast(k: number): number[];
  above(similarity: number): number[];
}
