import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setBit } from '#src/search/bitset.ts';
import { plainKernels } from '#src/search/kernels/kernels-plain.ts';
import { AT, MASK_BYTES, MAX_CHUNKS, ShardMemory } from '#src/search/memory.ts';
import { runs } from '#test/support/seed.ts';

const memories = [new ShardMemory(), new ShardMemory(plainKernels)];

/** Runs a function with both implementations and returns both results. */
function both<T>(run: (memory: ShardMemory) => T): [T, T] {
  return [run(memories[0]!), run(memories[1]!)];
}

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const idList = fc.uniqueArray(fc.integer({ min: 0, max: 199 }), { maxLength: 60 });
const score = fc.oneof(fc.float({ noNaN: true, min: -2, max: 2 }), fc.constantFrom(0.5, 0.25, 0));

function buildMask(ids: number[]): Uint8Array {
  const mask = new Uint8Array(MASK_BYTES);
  for (const id of ids) setBit(mask, id);
  return mask;
}

describe('WebAssembly kernels match the plain implementation', () => {
  test('for scan and scanListed', () => {
    const vectors = 9;
    const property = fc.property(
      fc.constantFrom(64, 128, 384),
      fc.infiniteStream(fc.integer({ min: 0, max: 255 })),
      fc.integer({ min: -9_000, max: 9_000 }),
      fc.array(fc.integer({ min: 0, max: vectors - 1 }), { maxLength: 20 }),
      (stride, random, correction, listed) => {
        const query = Uint8Array.from({ length: stride }, () => Math.max(-127, random.next().value - 128));
        const codes = Uint8Array.from({ length: vectors * stride }, () => random.next().value & 127);
        const scales = Float32Array.from({ length: vectors }, () => random.next().value / 1000);
        const [wasm, plain] = both((memory) => {
          memory.growCodes(16 * 384);
          memory.bytes(AT.query, stride).set(query);
          memory.bytes(AT.codes, codes.length).set(codes);
          memory.floats(AT.scales, vectors).set(scales);
          memory.words(AT.ids, listed.length).set(listed);
          const { kernels } = memory;
          kernels.scan(AT.query, AT.codes, AT.scales, AT.scores, vectors, stride, correction);
          const swept = memory.floats(AT.scores, vectors).slice();
          kernels.scanListed(
            AT.query,
            AT.codes,
            AT.scales,
            AT.scores,
            AT.ids,
            listed.length,
            stride,
            correction,
          );
          return { swept, listed: memory.floats(AT.scores, listed.length).slice() };
        });
        expect(wasm).toEqual(plain);
        expect([...wasm.listed]).toEqual(listed.map((id) => wasm.swept[id]));
      },
    );
    fc.assert(property, { numRuns: runs(40) });
  });

  test.each(['addTerm', 'addWeighted'] as const)('for %s and countListed', (add) => {
    const property = fc.property(
      idList,
      bytes(60),
      fc.float({ min: 0, max: 20, noNaN: true }),
      idList,
      (ids, often, weight, masked) => {
        const [wasm, plain] = both((memory) => {
          memory.floats(AT.norms, 200).set(Float32Array.from({ length: 200 }, (_, i) => 0.4 + i / 90));
          memory.floats(AT.scores, 200).set(Float32Array.from({ length: 200 }, (_, i) => i / 7));
          memory.words(AT.ids, ids.length).set(ids);
          memory
            .bytes(AT.frequencies, ids.length)
            .set(often.map((each) => each || 1).subarray(0, ids.length));
          memory.bytes(AT.mask, MASK_BYTES).set(buildMask(masked));
          memory.kernels[add](AT.ids, AT.frequencies, ids.length, AT.norms, AT.scores, weight);
          const counted = memory.kernels.countListed(AT.ids, ids.length, AT.mask);
          return { scores: memory.floats(AT.scores, 200).slice(), counted };
        });
        expect(wasm).toEqual(plain);
        expect(wasm.counted).toBe(ids.filter((id) => masked.includes(id)).length);
      },
    );
    fc.assert(property, { numRuns: runs(100) });
  });

  test('for threshold and collect', () => {
    const property = fc.property(
      fc.array(score, { minLength: 1, maxLength: 200 }),
      idList,
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(Number.NEGATIVE_INFINITY, 0),
      (scores, masked, k, floor) => {
        const kept = masked.filter((id) => id < scores.length);
        const [wasm, plain] = both((memory) => {
          memory.floats(AT.scores, MAX_CHUNKS).fill(0).set(scores);
          memory.bytes(AT.mask, MASK_BYTES).set(buildMask(kept));
          const bound = memory.kernels.threshold(AT.scores, AT.mask, scores.length, k, floor, AT.heap);
          const found = memory.kernels.collect(AT.scores, AT.mask, scores.length, floor, bound, AT.found);
          return { bound, found: memory.words(AT.found, found).slice() };
        });
        expect(wasm).toEqual(plain);
        const above = kept.filter((id) => Math.fround(scores[id]!) > floor);
        expect(wasm.found.length).toBeGreaterThanOrEqual(Math.min(k, above.length));
      },
    );
    fc.assert(property, { numRuns: runs(200) });
  });
});
