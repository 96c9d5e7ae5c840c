import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBuiltinReranker } from '#src/builtin/reranker.ts';
import type { RerankCandidate } from '#src/ports/reranker.ts';

const reranker = createBuiltinReranker();
const candidate = (id: string, text: string, rest: Partial<RerankCandidate> = {}): RerankCandidate => ({
  id,
  text,
  headings: [],
  title: '',
  score: 1,
  language: 'en',
  ...rest,
});
const filler = 'Nothing of interest is written on this line about anything at all.';
const best = async (query: string, ...candidates: RerankCandidate[]) =>
  (await reranker.rerank(query, candidates))[0]!.id;

describe('built-in reranker', () => {
  it('prefers passages that cover the whole query', async () => {
    expect(
      await best(
        'turbine blade inspection',
        candidate('part', `turbine turbine turbine ${filler}`),
        candidate('all', `blade of the turbine: inspection ${filler}`),
      ),
    ).toBe('all');
  });

  it('prefers words that are close together', async () => {
    const gap = `${filler} `.repeat(6);
    expect(
      await best(
        'turbine inspection',
        candidate('far', `turbine ${gap} inspection`),
        candidate('near', `${gap} turbine inspection`),
      ),
    ).toBe('near');
  });

  it('prefers the word order of the query', async () => {
    expect(
      await best(
        'dog bites man',
        candidate('other', `man bites dog ${filler}`),
        candidate('same', `dog bites man ${filler}`),
      ),
    ).toBe('same');
  });

  it('prefers rare words over common ones', async () => {
    const candidates = ['a', 'b', 'c', 'd'].map((id) => candidate(id, `report report ${filler}`));
    expect(await best('osmosis report', ...candidates, candidate('rare', `osmosis ${filler}`))).toBe('rare');
  });

  it('prefers matching headings and titles, and a matching first line if there are none', async () => {
    const plain = candidate('plain', filler);
    expect(
      await best('turbine safety', plain, candidate('h', filler, { headings: ['Turbine safety'] })),
    ).toBe('h');
    expect(await best('turbine safety', plain, candidate('t', filler, { title: 'turbine-safety.pdf' }))).toBe(
      't',
    );
    const body = `${filler} turbine safety`;
    expect(
      await best(
        'turbine safety',
        candidate('b', `Intro\n\n${body}`),
        candidate('l', `Turbine safety\n\n${filler} intro`),
      ),
    ).toBe('l');
  });

  it('matches inflected words and other languages', async () => {
    expect(await best('inspections', candidate('x', filler), candidate('y', `inspection ${filler}`))).toBe(
      'y',
    );
    const chinese = ['猫在沙发上睡觉。', '新桥梁的成本为一百万元。'].map((text, id) =>
      candidate(String(id), text, { language: 'zh' }),
    );
    expect(await best('桥梁的成本', ...chinese)).toBe('1');
  });

  it('falls back to the search score if no word matches', async () => {
    const candidates = [candidate('low', filler, { score: 0.1 }), candidate('high', filler, { score: 0.9 })];
    expect(await best('zebra', ...candidates)).toBe('high');
  });

  it('returns the best topN results, and an empty list without candidates', async () => {
    const candidates = ['a', 'b', 'c'].map((id) => candidate(id, id));
    expect(await reranker.rerank('b', candidates, { topN: 1 })).toHaveLength(1);
    expect(await reranker.rerank('b', [])).toEqual([]);
  });

  it('limits how much of a long text it reads', async () => {
    const long = (id: string) => candidate(id, `${'mole '.repeat(100_000)} osmosis`);
    const [first, second] = await reranker.rerank('osmosis', [long('a'), long('b')]);
    expect(first?.score).toBe(second?.score);
    expect(await best('osmosis', long('long'), candidate('short', 'osmosis'))).toBe('short');
  });

  it('scores every candidate once between 0 and 1, in descending order', async () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        texts,
        fc.float({ noNaN: true, noDefaultInfinity: true }),
        async (query, contents, score) => {
          const candidates = contents.map((text, i) =>
            candidate(String(i), text, { score: i % 2 ? score : 0 }),
          );
          const results = await reranker.rerank(query, candidates);
          expect(results.map(({ id }) => id).sort()).toEqual(candidates.map(({ id }) => id).sort());
          const scores = results.map((result) => result.score);
          expect(scores).toEqual(scores.toSorted((a, b) => b - a));
          for (const each of scores) expect(each >= 0 && each <= 1).toBe(true);
        },
      ),
    );
  });
});
