import { describe, expect, it } from 'vitest';
import { chooseByWords, describeEntry } from '#src/retrieval/modes/lexical-choice.ts';
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
  (await chooseByWords(query, inBatches(...entries), 10)).likely.map(({ title }) => title);

describe('lexicalChoice', () => {
  const report = entry('annualReport_2023.pdf', { author: 'Matilda Oyelaran', topic: 'harbours' });
  const older = entry('annualReport_2022.pdf', { author: 'Jens Brandt', topic: 'harbours' });
  const letter = entry('letter.txt', { author: 'Matilda Oyelaran' });

  it('splits file names into words', async () => {
    expect((await titles('annual report 2023', older, report, letter))[0]).toBe('annualReport_2023.pdf');
  });

  it('searches custom metadata', async () => {
    expect((await titles('what Jens Brandt wrote', report, older, letter))[0]).toBe('annualReport_2022.pdf');
  });

  it('returns entries that share no word with the query separately', async () => {
    const { likely, others } = await chooseByWords('letter', inBatches(report, letter), 10);
    expect(likely.map(({ title }) => title)).toEqual(['letter.txt']);
    expect(others.map(({ title }) => title)).toEqual(['annualReport_2023.pdf']);
  });

  it('ignores ids, sizes and paths', async () => {
    for (const key of ['file_id', 'document_id', 'pipeline_id', 'data_source_id', 'external_file_id']) {
      expect(await titles('abc', entry('x', { [key]: 'abc' })), key).toEqual([]);
    }
    for (const key of ['file_size', 'file_path', 'file_name']) {
      expect(await titles('abc', entry('x', { [key]: 'abc' })), key).toEqual([]);
    }
  });

  it('ranks the best entries of a large catalog first, even if the query has a common word', async () => {
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

  it('scores rare words higher than common ones, and titles higher than metadata', async () => {
    const scores = async (query: string, ...entries: CatalogEntry[]) => {
      const { likely } = await chooseByWords(query, inBatches(...entries), 10);
      return Object.fromEntries(likely.map(({ title, score }) => [title, Number(score.toFixed(3))]));
    };
    const [acme, plan] = [entry('acme'), entry('plan')];
    // Shares of ln(1 + 5 / 1.5) and ln(1 + 5 / 3.5) in their sum: one of four entries has the first word,
    // three have the second.
    expect(await scores('acme plan', acme, plan, entry('plan b'), entry('plan c'))).toEqual({
      acme: 0.623,
      plan: 0.377,
      'plan b': 0.377,
      'plan c': 0.377,
    });
    // A word that no entry has counts as well: ln(1 + 2 / 0.5) beside ln(1 + 2 / 1.5).
    expect(await scores('acme unheard', acme)).toEqual({ acme: 0.345 });
    expect(await scores('acme', acme, entry('x', { about: 'acme' }))).toEqual({ acme: 1, x: 0.7 });
  });

  it('orders entries with equal scores by id', async () => {
    const [a, b] = [entry('notes a'), entry('notes b')];
    expect(await titles('notes', b, a)).toEqual(await titles('notes', a, b));
  });

  it('does not show hidden keys to a model', () => {
    expect(describeEntry(report, ['author'])).toBe('annualReport_2023.pdf | topic: harbours');
    expect(describeEntry(report, ['file_name', 'topic'])).toBe('author: Matilda Oyelaran');
    const own = { ...report, hiddenKeys: ['topic'] };
    expect(describeEntry(own, ['author'])).toBe('annualReport_2023.pdf');
    const titled = { documentId: 'id', title: 'Tides', metadata: { topic: 'harbours' } };
    expect(describeEntry(titled, ['title'])).toBe('topic: harbours');
    expect(describeEntry({ ...titled, title: '' }, [])).toBe('id | topic: harbours');
  });

  it('shows at most 400 characters of an entry to a model', () => {
    const described = describeEntry(entry('tides', { topic: 'x'.repeat(1_000) }), []);
    expect(described).toBe(`tides | topic: ${'x'.repeat(385)}`);
  });
});
