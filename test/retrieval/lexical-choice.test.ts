import { describe, expect, it } from 'vitest';
import { describeEntry, lexicalChoice } from '#src/retrieval/modes/lexical-choice.ts';
import type { CatalogEntry } from '#src/retrieval/ports.ts';

const entry = (title: string, metadata: CatalogEntry['metadata'] = {}): CatalogEntry => ({
  documentId: `id of ${title}`,
  title,
  metadata: { file_name: title, ...metadata },
});

async function* inBatches(...entries: CatalogEntry[]) {
  for (const each of entries) yield [each];
}

const titles = async (query: string, ...entries: CatalogEntry[]) =>
  (await lexicalChoice(query, inBatches(...entries), 10)).likely.map(({ title }) => title);

describe('choosing files by their words', () => {
  const report = entry('annualReport_2023.pdf', { author: 'Matilda Oyelaran', topic: 'harbours' });
  const older = entry('annualReport_2022.pdf', { author: 'Jens Brandt', topic: 'harbours' });
  const letter = entry('letter.txt', { author: 'Matilda Oyelaran' });

  it('takes file names apart', async () => {
    expect((await titles('annual report 2023', older, report, letter))[0]).toBe('annualReport_2023.pdf');
  });

  it('reads custom metadata', async () => {
    expect((await titles('what Jens Brandt wrote', report, older, letter))[0]).toBe('annualReport_2022.pdf');
  });

  it('leaves out what shares no word, and names it apart', async () => {
    const { likely, others } = await lexicalChoice('letter', inBatches(report, letter), 10);
    expect(likely.map(({ title }) => title)).toEqual(['letter.txt']);
    expect(others.map(({ title }) => title)).toEqual(['annualReport_2023.pdf']);
  });

  it('does not read ids', async () => {
    expect(await titles('file abc', entry('x', { file_id: 'abc', pipeline_id: 'abc' }))).toEqual([]);
  });

  it('considers a whole catalog, however common the query', async () => {
    const many = Array.from({ length: 12_000 }, (_, i) => entry(`report ${i}.txt`));
    const best = entry('acme report.txt');
    const lone = entry('acme.txt');
    for (const all of [
      [...many, best, lone],
      [best, lone, ...many],
    ]) {
      const first = (await titles('acme report', ...all)).slice(0, 2);
      expect(first).toEqual(['acme report.txt', 'acme.txt']);
    }
  });

  it('orders equals by id, whatever order they come in', async () => {
    const [a, b] = [entry('notes a'), entry('notes b')];
    expect(await titles('notes', b, a)).toEqual(await titles('notes', a, b));
  });

  it('keeps hidden keys from a model', () => {
    expect(describeEntry(report, ['author'])).toBe('annualReport_2023.pdf | topic: harbours');
    expect(describeEntry(report, ['file_name', 'topic'])).toBe('author: Matilda Oyelaran');
  });
});
