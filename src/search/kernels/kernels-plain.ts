import type { Kernels } from './kernels.ts';

/** Reference implementation of kernels.wat in TypeScript, for reading and for tests. */
export function plainKernels(memory: { buffer: ArrayBufferLike }): Kernels {
  const f32 = (address: number, length: number) => new Float32Array(memory.buffer, address, length);
  const u16 = (address: number, length: number) => new Uint16Array(memory.buffer, address, length);
  const u8 = (address: number, length: number) => new Uint8Array(memory.buffer, address, length);
  const dot = (query: number, code: number, stride: number) => {
    const q = new Int8Array(memory.buffer, query, stride);
    const c = u8(code, stride);
    let sum = 0;
    for (let i = 0; i < stride; i++) sum += q[i]! * c[i]!;
    return sum;
  };
  const isSet = (mask: Uint8Array, i: number) => ((mask[i >> 3]! >> (i & 7)) & 1) === 1;

  return {
    scan(query, codes, scales, scores, count, stride, correction) {
      const slots = Math.ceil(count / 4) * 4;
      const out = f32(scores, slots);
      const scale = f32(scales, slots);
      for (let i = 0; i < slots; i++)
        out[i] = (dot(query, codes + i * stride, stride) - correction) * scale[i]!;
    },
    scanListed(query, codes, scales, scores, ids, count, stride, correction) {
      const out = f32(scores, count);
      const listed = u16(ids, count);
      for (let i = 0; i < count; i++) {
        const [scale] = f32(scales + 4 * listed[i]!, 1);
        out[i] = (dot(query, codes + listed[i]! * stride, stride) - correction) * scale!;
      }
    },
    addTerm(ids, frequencies, count, norms, scores, weight) {
      const listed = u16(ids, count);
      const often = u8(frequencies, count);
      for (let i = 0; i < count; i++) {
        const score = f32(scores + 4 * listed[i]!, 1);
        const [norm] = f32(norms + 4 * listed[i]!, 1);
        const part = Math.fround(Math.fround(weight) * often[i]!) / Math.fround(often[i]! + norm!);
        score[0] = score[0]! + Math.fround(part);
      }
    },
    addWeighted(ids, frequencies, count, scales, scores, weight) {
      const listed = u16(ids, count);
      const often = u8(frequencies, count);
      for (let i = 0; i < count; i++) {
        const score = f32(scores + 4 * listed[i]!, 1);
        const [scale] = f32(scales + 4 * listed[i]!, 1);
        const part = Math.fround(Math.fround(weight) * often[i]!) * scale!;
        score[0] = score[0]! + Math.fround(part);
      }
    },
    countListed(ids, count, mask) {
      const bits = u8(mask, 8_192);
      return u16(ids, count).reduce((sum, id) => sum + (isSet(bits, id) ? 1 : 0), 0);
    },
    threshold(scores, mask, count, k, floor) {
      const bits = u8(mask, 8_192);
      const kept = [...f32(scores, count)].filter((score, i) => isSet(bits, i) && score > Math.fround(floor));
      return kept.sort((a, b) => b - a)[k - 1] ?? Math.fround(floor);
    },
    collect(scores, mask, count, floor, bound, found) {
      const bits = u8(mask, 8_192);
      const out = u16(found, 65_536);
      let n = 0;
      for (const [i, score] of f32(scores, count).entries()) {
        if (isSet(bits, i) && score > Math.fround(floor) && score >= Math.fround(bound)) out[n++] = i;
      }
      return n;
    },
  };
}
