import { describe, expect, it } from 'vitest';
import { mergePieces } from '../../../src/jobs/extract/model/merge.ts';
import { chunkPages } from '../../../src/jobs/extract/model/page-chunks.ts';
import { answerSchema, partsOf } from '../../../src/jobs/extract/model/schema-parts.ts';
import { validate } from '../../../src/jobs/extract/repair.ts';
import type { JsonSchema } from '../../../src/jobs/extract/schema.ts';
import { validateSchema } from '../../../src/jobs/extract/schema-rules.ts';

const evidence = (entries: Record<string, number>) =>
  new Map(Object.entries(entries).map(([at, confidence]) => [at, { confidence, citations: [] }]));

describe('merging what chunks said', () => {
  it('takes the best supported scalar, the earlier of two alike, and moves its evidence', () => {
    const merged = mergePieces([
      { value: { a: 1, b: null, c: 'x' }, evidence: evidence({ '/a': 0.4, '/c': 0.5 }) },
      { value: { a: 2, b: 3, c: 'y' }, evidence: evidence({ '/a': 0.9, '/b': 0.2, '/c': 0.5 }) },
    ]);
    expect(merged.value).toEqual({ a: 2, b: 3, c: 'x' });
    expect([...merged.evidence].map(([at, { confidence }]) => [at, confidence])).toEqual([
      ['/a', 0.9],
      ['/b', 0.2],
      ['/c', 0.5],
    ]);
  });

  it('joins lists without what another chunk had already, keeping equal lines of one chunk', () => {
    const merged = mergePieces([
      {
        value: { items: [{ n: 1 }, { n: 1 }] },
        evidence: evidence({ '/items/0/n': 0.1, '/items/1/n': 0.2 }),
      },
      { value: { items: [{ n: 1 }, { n: 2 }] }, evidence: evidence({ '/items/1/n': 0.3 }) },
    ]);
    expect(merged.value).toEqual({ items: [{ n: 1 }, { n: 1 }, { n: 2 }] });
    expect(merged.evidence.get('/items/2/n')?.confidence).toBe(0.3);
  });

  it('merges objects member by member', () => {
    const merged = mergePieces([
      { value: { party: { name: 'A', city: null } }, evidence: new Map() },
      { value: { party: { name: null, city: 'B' } }, evidence: new Map() },
    ]);
    expect(merged.value).toEqual({ party: { name: 'A', city: 'B' } });
  });
});

describe('parting a schema', () => {
  const leaf = (n: number): JsonSchema => ({ type: 'string', description: `field ${n} `.repeat(8) });
  const leaves = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, leaf(n)]));

  it('leaves a small one whole', () => {
    const schema = { type: 'object', properties: leaves(3) };
    expect(partsOf(schema)).toEqual([schema]);
  });

  it('parts properties and large objects within them, and loses none', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['f1', 'inner'],
      properties: { ...leaves(20), inner: { type: 'object', properties: leaves(60), required: ['f59'] } },
    };
    const parts = partsOf(schema, 2_000);
    expect(parts.length).toBeGreaterThan(3);
    const names = parts.flatMap((part) => Object.keys(part.properties!));
    for (let n = 0; n < 20; n += 1) expect(names.filter((name) => name === `f${n}`)).toHaveLength(1);
    const inner = parts.flatMap((part) => Object.keys(part.properties!.inner?.properties ?? {}));
    expect(inner.toSorted()).toEqual(Object.keys(leaves(60)).toSorted());
    for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(3_000);
  });
});

describe('the schema of a model’s answer', () => {
  it('lets every scalar be null and follows references, in $defs and into the caller’s schema', () => {
    const schema = validateSchema({
      type: 'object',
      properties: {
        total: { type: 'number' },
        kind: { type: 'string', enum: ['a', 'b'] },
        party: { $ref: '#/$defs/party' },
        other: { $ref: '#/properties/total' },
      },
      $defs: { party: { type: 'object', properties: { name: { type: 'string' } } } },
    });
    const answer = answerSchema(schema) as JsonSchema;
    const fits = (value: object) => validate(answer, { values: [value], sources: [] }).length === 0;
    expect(fits({ total: null, kind: null, party: { name: null }, other: 3 })).toBe(true);
    expect(fits({ other: 'text' })).toBe(false);
    expect(fits({ party: { name: 7 } })).toBe(false);
    expect(fits({ kind: 'c' })).toBe(false);
  });
});

describe('chunks of a document', () => {
  const page = (index: number, text: string) => ({ index, text, markdown: '' }) as never;

  it('hold as many pages as fit', () => {
    const pages = [page(0, 'x'.repeat(40)), page(1, 'x'.repeat(40)), page(2, 'x'.repeat(40))];
    const chunks = chunkPages(pages, 100);
    expect(chunks.map((chunk) => chunk.map((part) => part.page.index))).toEqual([[0, 1], [2]]);
  });

  it('cut a page that is too long between its lines, and lose nothing', () => {
    const text = Array.from({ length: 40 }, (_, n) => `line ${n} of the page`).join('\n');
    const chunks = chunkPages([page(0, text), page(1, 'y'.repeat(250)), page(2, 'z')], 100);
    const parts = chunks.flat();
    expect(parts.map((part) => part.text).join('')).toBe(`${text}${'y'.repeat(250)}z`);
    for (const chunk of chunks) {
      expect(chunk.reduce((sum, part) => sum + part.text.length, 0)).toBeLessThanOrEqual(100);
    }
    for (const part of parts.filter(({ page: { index } }) => index === 0).slice(1)) {
      expect(part.text).toMatch(/^line \d+/);
    }
  });
});
