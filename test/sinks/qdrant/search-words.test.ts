import { describe, expect, it } from 'vitest';
import type { AnalysedChunk } from '#src/search/analysis.ts';
import { getFrequencyShare } from '#src/search/term-weights.ts';
import type { ChunkRecord } from '#src/sinks/native/ledger/chunk-store.ts';
import { storedPayload, toPayload } from '#src/sinks/qdrant/search/payload.ts';
import { hashTerm, toQueryVector, toWordVector } from '#src/sinks/qdrant/search/words.ts';

/** Two terms with the same hash. */
const COLLIDING = ['en:3fip', 'en:3xb4'] as const;

const analyse = (counts: Record<string, number>, length: number): AnalysedChunk => ({
  language: 'en',
  terms: Object.keys(counts),
  frequencies: Object.values(counts),
  length,
});

describe('hashTerm', () => {
  // Stored vectors contain these numbers.
  it.each([
    ['en:walrus', 1293030013],
    ['de:größe', 3345241261],
    ['ja:~鯨', 840410621],
    ['\ud800', 3311452196],
    ['', 0],
  ])('returns the same number for %j in every version', (term, hash) => {
    expect(hashTerm(term)).toBe(hash);
  });

  it('returns integers of 32 bits that are rarely equal', () => {
    const hashes = Array.from({ length: 100_000 }, (_, at) => hashTerm(`en:${at.toString(36)}`));
    expect(hashes.every((hash) => Number.isInteger(hash) && hash >= 0 && hash < 2 ** 32)).toBe(true);
    // Random numbers would have 1.2 collisions.
    expect(hashes.length - new Set(hashes).size).toBeLessThan(5);
  });
});

describe('vector of words', () => {
  it('has the share of the weight that each word scores', () => {
    const analysed = analyse({ 'en:walrus': 3, 'en:ice': 1 }, 20);
    const { indices, values } = toWordVector({ analysed, meanLength: 40 });
    expect(indices).toEqual([hashTerm('en:walrus'), hashTerm('en:ice')]);
    expect(values[0]).toBeCloseTo(getFrequencyShare(3, 20, 40), 5);
    expect(values[1]).toBeCloseTo(getFrequencyShare(1, 20, 40), 5);
  });

  it('counts two words with one hash as one word', () => {
    const [one, other] = COLLIDING;
    const analysed = analyse({ [one]: 1, 'en:ice': 1, [other]: 2 }, 20);
    const { indices, values } = toWordVector({ analysed, meanLength: 40 });
    expect(indices).toEqual([hashTerm(one), hashTerm('en:ice')]);
    expect(values[0]).toBeCloseTo(getFrequencyShare(3, 20, 40), 5);
    const weights = new Map([
      [one, 1],
      [other, 0.5],
    ]);
    expect(toQueryVector(weights)).toEqual({ indices: [hashTerm(one)], values: [1.5] });
  });

  it('has finite values if only titles have words', () => {
    const { values } = toWordVector({ analysed: analyse({ 'en:walrus': 2 }, 0), meanLength: 0 });
    expect(values[0]).toBeGreaterThan(0);
    expect(values[0]).toBeLessThanOrEqual(1);
  });

  it('of a query has the words of all groups', () => {
    const [finding, ranking] = [new Map([['en:walrus', 1]]), new Map([['en:the', 0.1]])];
    expect(toQueryVector(finding, ranking)).toEqual({
      indices: [hashTerm('en:walrus'), hashTerm('en:the')],
      values: [1, 0.1],
    });
  });
});

describe('payload', () => {
  const createRecord = (text: string): ChunkRecord => ({
    rowId: 'row',
    version: 3,
    keywords: text,
    length: 7,
    chunk: {
      ...{ id: `node ${text}`, documentId: text, position: 4, text, title: text, hash: text },
      ...{ headings: [text, 'other'], startChar: 5, endChar: 9, startPage: 0, endPage: 2 },
      ...{ member: text, language: 'en', previousId: text, nextId: text },
      metadata: Object.fromEntries([
        [text, text],
        ['__proto__', [text, 1.5]],
        ['number', 1e21],
        ['flag', true],
        ['none', null],
      ]),
    },
  });

  it.each(['walrus', 'a\0b\u0001', '\ud800', '"', '"a"', '"\ud800', '\\"', ''])(
    'of %j is read unchanged and has only well-formed texts',
    (text) => {
      const record = createRecord(text);
      const payload = toPayload('index', record);
      const texts = Object.values(payload)
        .flat()
        .filter((value) => typeof value === 'string');
      expect(texts.every((each) => each.isWellFormed())).toBe(true);
      const { rowId: _, ...rest } = record;
      const read = storedPayload.parse(JSON.parse(JSON.stringify(payload)));
      expect(read).toEqual(rest);
      expect(Object.entries(read.chunk.metadata)).toEqual(Object.entries(rest.chunk.metadata));
    },
  );

  it('has no optional fields that a chunk lacks', () => {
    const { rowId: _, ...record } = createRecord('walrus');
    const { startPage, endPage, member, previousId, nextId, language, ...chunk } = record.chunk;
    const read = storedPayload.parse(toPayload('index', { ...record, rowId: 'row', chunk }));
    expect(Object.keys(read.chunk).sort()).toEqual(Object.keys(chunk).sort());
  });

  it('never has equal names for different documents', () => {
    const ids = ['\ud800', '"\\ud800"', '\ufffd', '"', '"\\""'];
    const names = ids.map((id) => toPayload('index', createRecord(id)).document_id);
    expect(new Set(names).size).toBe(ids.length);
  });

  it.each([
    ['details_json', '{'],
    ['details_json', '{}'],
    ['metadata_json', '{"a":{"b":1}}'],
    ['metadata_json', '[]'],
    ['document_id', '"'],
    ['document_id', 5],
    ['text', '"a" b'],
    ['version', '3'],
  ])('with the %s %j is rejected', (name, value) => {
    const payload = { ...toPayload('index', createRecord('walrus')), [name]: value };
    expect(storedPayload.safeParse(payload).success).toBe(false);
  });
});
