import { describe, expect, it } from 'vitest';
import { readOpenings } from '#src/retrieval/modes/openings.ts';
import type { CatalogEntry } from '#src/retrieval/ports.ts';
import { createReport, type RetrievalPorts } from '#src/retrieval/ports.ts';
import { DEFAULTS } from '#src/retrieval-contract/parameters.ts';

const CATALOG_SIZE = 5_000;

/** Returns the id of the document at a position. Ids sort by position. */
const getId = (position: number) => `document-${String(position).padStart(5, '0')}`;

/** Reads the openings of a large catalog in which one document is by Ida. */
async function open(options: { author?: string; position?: number } = {}) {
  const asked: number[] = [];
  const report = createReport();
  const firstEntries: RetrievalPorts['firstEntries'] = async ({ after = '', limit }) => {
    asked.push(limit);
    const all = Array.from({ length: CATALOG_SIZE }, (_, position): CatalogEntry => {
      const author = position === options.position ? 'Ida' : 'Jens';
      return { documentId: getId(position), title: getId(position), metadata: { author } };
    });
    return all.filter(({ documentId }) => documentId > after).slice(0, limit);
  };
  const opened: string[] = [];
  const sink = {
    listChunks: async (documentId: string) => {
      opened.push(documentId);
      return [];
    },
  } as unknown as RetrievalPorts['sink'];
  const filters = options.author
    ? {
        condition: 'and' as const,
        filters: [{ key: 'author', operator: '==' as const, value: options.author }],
      }
    : undefined;
  const ports = { sink, firstEntries, addChunkMetadata: <Chunk>(chunk: Chunk) => chunk };
  await readOpenings([], DEFAULTS, filters, ports, report);
  return { asked, opened, note: report.notes.openings };
}

describe('the beginnings of documents', () => {
  it('are those of the first documents of the catalog, without reading the others', async () => {
    const { asked, opened, note } = await open();
    expect(asked).toEqual([50]);
    expect(opened).toEqual([getId(0), getId(1), getId(2)]);
    expect(note).not.toContain('only');
  });

  it('are those of documents that match the filters', async () => {
    const { asked, opened } = await open({ author: 'Ida', position: 1_500 });
    expect(opened).toEqual([getId(1_500)]);
    expect(asked).toEqual([1_000, 1_000]);
  });

  it('are looked for in a part of a large catalog, and the answer says so', async () => {
    const { asked, opened, note } = await open({ author: 'Ida', position: 4_000 });
    expect(opened).toEqual([]);
    expect(asked).toEqual([1_000, 1_000]);
    expect(note).toContain('the first 2000 documents only');
  });
});
