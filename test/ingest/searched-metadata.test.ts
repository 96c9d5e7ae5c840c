import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEmbeddedLines, buildKeywords, selectSearchedMetadata } from '#src/ingest/searched-metadata.ts';

const none = new Set<string>();
const bytes = (text: string) => new TextEncoder().encode(text).length;
const listMetadataLines = (...input: Parameters<typeof selectSearchedMetadata>) =>
  selectSearchedMetadata(...input).map(({ key, value }) => `${key}: ${value}`);

describe('searchable metadata', () => {
  it('has a line for each member, the shortest first', () => {
    const given = { subject: 'Spring\n\ttides', tags: ['sea', 4], year: 2024, done: false };
    expect(listMetadataLines(given, none)).toEqual([
      'year: 2024',
      'done: false',
      'tags: sea, 4',
      'subject: Spring tides',
    ]);
    expect(buildKeywords(selectSearchedMetadata(given, none))).toBe('2024\nfalse\nsea, 4\nSpring tides');
  });

  it('omits empty, system and excluded members', () => {
    const given = { a: null, b: '', c: ' \n', d: [], file_id: 'x', file_size: 7, last_modified_at: 'now' };
    expect(listMetadataLines(given, none)).toEqual([]);
    const owned = { owner: 'A', 'owner.name': 'B', 'owner.name.first': 'C', owners: 'D' };
    expect(listMetadataLines(owned, new Set(['owner']))).toEqual(['owners: D']);
    expect(listMetadataLines(owned, new Set(['owner.name']))).toEqual(['owner: A', 'owners: D']);
  });

  it('does not depend on the order of members', () => {
    const given = fc.dictionary(fc.string({ maxLength: 4 }), fc.string({ maxLength: 300 }));
    fc.assert(
      fc.property(given, (metadata) => {
        const reversed = Object.fromEntries(Object.entries(metadata).reverse());
        expect(selectSearchedMetadata(reversed, none)).toEqual(selectSearchedMetadata(metadata, none));
      }),
    );
  });

  it('has at most 1024 bytes, and a long value takes the remaining space', () => {
    for (const word of ['word ', '漢字', '🐋', 'e\u0301', '\ud800']) {
      const lines = listMetadataLines({ long: word.repeat(1_000_000), kind: 'memo', port: 'Oban' }, none);
      expect(lines.slice(0, 2)).toEqual(['kind: memo', 'port: Oban']);
      expect(lines[2]!.startsWith(`long: ${word.trim()}`)).toBe(true);
      const size = bytes(lines.join('\n'));
      expect(size).toBeGreaterThan(1000);
      expect(size).toBeLessThanOrEqual(1024);
    }
    const many = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, i) => [`key ${i}`, 'x'.repeat(i % 99)]),
    );
    expect(bytes(listMetadataLines(many, none).join('\n'))).toBeLessThanOrEqual(1024);
    expect(listMetadataLines({ ['k'.repeat(5000)]: 'v' }, none)).toEqual([]);
  });

  it('adds at most a quarter to a chunk, or 256 bytes to a small chunk', () => {
    const entries = selectSearchedMetadata({ port: 'Oban', about: '漢字'.repeat(400) }, none);
    const added = (size: number) => bytes(buildEmbeddedLines(entries, 'x'.repeat(size)));
    expect(added(10)).toBeGreaterThan(250);
    expect(added(10)).toBeLessThanOrEqual(256);
    expect(added(2000)).toBeLessThanOrEqual(500);
    expect(added(2000)).toBeGreaterThan(490);
    expect(added(1_000_000)).toBeLessThanOrEqual(1024);
    expect(buildEmbeddedLines(entries, 'x')).toMatch(/^port: Oban\nabout: (漢字)+漢?$/);
    expect(buildEmbeddedLines([], 'x')).toBe('');
  });
});
