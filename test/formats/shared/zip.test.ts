import * as fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { ParseError } from '#src/documents/errors.ts';
import { openZip } from '#src/formats/shared/containers/zip.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { zip } from '../fixtures/zip.ts';

function catchReason(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ParseError) return error.reason;
    throw error;
  }
  return 'accepted';
}

/**
 * Overwrites a field in the first central directory record: flags 8, method 10, crc 16, compressed size 20,
 * size 24, offset 42.
 */
function patched(bytes: Uint8Array, offset: number, value: number, size: 2 | 4): Uint8Array {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  let at = copy.length - 46;
  while (view.getUint32(at, true) !== 0x02014b50) at--;
  if (size === 2) view.setUint16(at + offset, value, true);
  else view.setUint32(at + offset, value, true);
  return copy;
}

/** Returns a generator of 32-bit numbers (xorshift32). */
function xorshift(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

const SMALL = zip({ 'a.txt': 'hello '.repeat(100) });

const openArchive = (bytes: Uint8Array) => openZip(bytes, { budget: new WorkBudget() });

describe('openZip', () => {
  it('reads deflated and stored members by name', () => {
    const archive = openArchive(
      zipSync({ 'd/ä.txt': [new TextEncoder().encode('one'), { level: 0 }], b: new Uint8Array(9) }),
    );
    expect(archive.names).toEqual(['d/ä.txt', 'b']);
    expect(archive.text('d/ä.txt')).toBe('one');
    expect(archive.read('b')).toEqual(new Uint8Array(9));
    expect(archive.read('c')).toBeUndefined();
    expect(openArchive(SMALL).text('a.txt')).toBe('hello '.repeat(100));
  });

  it.each([
    1, 100, 16_384, 42_955, 43_854, 65_536, 66_668, 70_000, 88_343, 94_276, 131_072, 262_144, 1_000_000,
  ])('reads a member of %i bytes', (size) => {
    const content = Uint8Array.from({ length: size }, (_, at) => (at * 7 + (at >> 8)) & 255);
    expect(openArchive(zipSync({ a: content })).read('a')).toEqual(content);
  });

  it('reads members of any size and content', () => {
    const contents = fc.tuple(
      fc.integer({ min: 0, max: 400_000 }),
      fc.integer({ min: 1, max: 256 }),
      fc.nat(),
    );
    fc.assert(
      fc.property(contents, ([size, values, seed]) => {
        const random = xorshift(seed);
        const content = Uint8Array.from({ length: size }, () => random() % values);
        expect(openArchive(zipSync({ a: content })).read('a')?.length).toBe(size);
      }),
      { numRuns: 60 },
    );
  });

  it('rejects a member that contains far more than it declares', () => {
    const bytes = patched(zipSync({ a: new Uint8Array(1_000_000) }), 24, 100_000, 4);
    expect(catchReason(() => openArchive(bytes).read('a'))).toBe('FILE_IS_BROKEN');
  });

  it('rejects a member with an extreme compression ratio', () => {
    const bomb = openArchive(zipSync({ a: new Uint8Array(16 * 1024 * 1024) }, { level: 9 }));
    expect(catchReason(() => bomb.read('a'))).toBe('DOCUMENT_TOO_LARGE');
  });

  it.each([
    ['declares more than it holds', patched(SMALL, 24, 700, 4), 'FILE_IS_BROKEN'],
    ['declares less than it holds', patched(SMALL, 24, 100, 4), 'FILE_IS_BROKEN'],
    ['declares gigabytes', patched(SMALL, 24, 0xfffffff0, 4), 'DOCUMENT_TOO_LARGE'],
    ['has another checksum', patched(SMALL, 16, 1, 4), 'FILE_IS_BROKEN'],
    ['uses an unknown method', patched(SMALL, 10, 99, 2), 'FILE_IS_BROKEN'],
    ['is encrypted', patched(SMALL, 8, 1, 2), 'FILE_IS_PROTECTED'],
    ['starts outside the file', patched(SMALL, 42, 0x7fffffff, 4), 'FILE_IS_BROKEN'],
  ])('rejects a member that %s', (_, bytes, reason) => {
    expect(catchReason(() => openArchive(bytes).read('a.txt'))).toBe(reason);
  });

  it('limits the total unpacked size, including repeated reads', () => {
    const archive = openArchive(zipSync({ a: [new Uint8Array(40 * 1024 * 1024), { level: 0 }] }));
    const readAll = () => {
      for (let round = 0; round < 10; round++) archive.read('a');
    };
    expect(catchReason(readAll)).toBe('DOCUMENT_TOO_LARGE');
  });

  it('rejects a directory with too many members', () => {
    const many = Object.fromEntries(
      Array.from({ length: 20_001 }, (_, at) => [String(at), new Uint8Array()]),
    );
    expect(catchReason(() => openArchive(zipSync(many, { level: 0 })))).toBe('DOCUMENT_TOO_LARGE');
  });
});
