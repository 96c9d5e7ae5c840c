import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '#src/lib/errors.ts';
import type { RankedIndex } from '#src/models/reranking/document-reranker.ts';
import type { RerankCandidate, Reranker } from '#src/ports/reranker.ts';

export interface RerankerFixture {
  name: string;
  /** Fake model. Omit for rerankers without a model. */
  model?: FakeRanker;
  open(options?: { timeout?: number }): Reranker;
  /** Answers HTTP requests in place of `fetch`, and rejects unknown requests. */
  serve?: (request: Request) => Promise<Response>;
  /** Mistakes in requests or in the test server. */
  problems?: string[];
  /** Whether candidates that the model omits are appended, if the model ranked at least one. */
  completes?: boolean;
}

type Trouble = (right: RankedIndex[]) => unknown;

/** Fake ranking model that scores a document by the number of times it contains `tides`. */
export class FakeRanker {
  readonly calls: { query: string; documents: string[]; topN: number }[] = [];
  /** Planned error of the next call. */
  trouble: Trouble | undefined;
  /** Whether the last call returned a planned error. */
  wasTroubled = false;

  /** Returns document indexes and scores in the order of the model. */
  async rank(query: string, documents: string[], topN: number): Promise<unknown> {
    this.calls.push({ query, documents, topN });
    const right = documents.map((text, index) => ({ index, score: text.split('tides').length / 100 }));
    const { trouble } = this;
    this.wasTroubled = trouble !== undefined;
    this.trouble = undefined;
    return trouble ? trouble(right) : right.toReversed();
  }
}

export const rerankCandidate = (id: string, text: string, extra: Partial<RerankCandidate> = {}) => ({
  ...{ id, text, headings: [], title: '', score: 1 },
  ...extra,
});

const candidates = [
  rerankCandidate('ferry', 'The ferry is green and leaves at noon.'),
  rerankCandidate('tides', 'tides tides tides'),
  rerankCandidate('mole', 'The mole was built by convicts.'),
  rerankCandidate('moon', 'The moon is full.'),
];

/** Tests that every reranker must pass. */
export function rerankerSuite(fixture: RerankerFixture): void {
  const { name, model, open, serve, problems = [], completes = false } = fixture;
  describe(`${name} reranker`, () => {
    beforeEach(() => {
      if (model) model.trouble = undefined;
      model?.calls.splice(0);
      vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
        if (!serve) throw new Error(`${name} called somebody`);
        return serve(new Request(input, { ...init, signal: null }));
      });
    });
    afterEach(() => {
      vi.unstubAllGlobals();
      expect(problems.splice(0)).toEqual([]);
    });

    const rankedIds = async (ranking: ReturnType<Reranker['rerank']>) => (await ranking).map(({ id }) => id);
    const catchFailure = (work: Promise<unknown>) =>
      work.then(
        () => expect.unreachable('it resolved'),
        (error: DomainError) => error,
      );

    it('returns every candidate once in descending order of score', async () => {
      const results = await open().rerank('tides', candidates);
      expect(results[0]?.id).toBe('tides');
      expect(results.map(({ id }) => id).sort()).toEqual(['ferry', 'mole', 'moon', 'tides']);
      const scores = results.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    });

    it('returns topN candidates, or all if there are fewer', async () => {
      const reranker = open();
      const all = await rankedIds(reranker.rerank('tides', candidates));
      expect(await rankedIds(reranker.rerank('tides', candidates, { topN: 2 }))).toEqual(all.slice(0, 2));
      expect(await rankedIds(reranker.rerank('tides', candidates, { topN: 50 }))).toEqual(all);
      expect(await reranker.rerank('tides', [])).toEqual([]);
      expect(await reranker.rerank('tides', candidates, { topN: 0 })).toEqual([]);
    });

    it('keeps the order of equal candidates', async () => {
      const reranker = open();
      const same = ['c', 'a', 'b', 'd'].map((id) => rerankCandidate(id, 'the same words'));
      for (const _ of [1, 2]) {
        expect(await rankedIds(reranker.rerank('words', same))).toEqual(['c', 'a', 'b', 'd']);
      }
      expect(await rankedIds(reranker.rerank('words', same, { topN: 2 }))).toEqual(['c', 'a']);
    });

    it('keeps candidates with equal text and accepts any text', async () => {
      const odd = ['', '\u0000', '\ud800', '潮汐 🌊', 'x'.repeat(200_000)];
      const results = await open().rerank('🌊\u0000\ud800', [
        ...odd.map((text, index) => rerankCandidate(`odd-${index}`, text, { title: text.slice(0, 50) })),
      ]);
      expect(results).toHaveLength(odd.length);
    });

    it('rejects with the abort reason', async () => {
      const reason = new Error('given up');
      const ranking = open().rerank('tides', candidates, { signal: AbortSignal.abort(reason) });
      expect(await catchFailure(ranking)).toBe(reason);
      expect(model?.calls ?? []).toEqual([]);
    });

    if (!model) return;

    it('sends title, headings and truncated text to the model', async () => {
      const full = rerankCandidate('a', 'Text.', { title: 'a.pdf', headings: ['One', 'Two'] });
      await open().rerank('tides', [full, rerankCandidate('b', 'x'.repeat(100_000))], { topN: 1 });
      const [{ query, documents, topN } = {}] = model.calls;
      expect([query, topN, documents?.[0]]).toEqual(['tides', 1, 'a.pdf\nOne\nTwo\nText.']);
      expect(documents?.[1]?.length).toBeLessThan(20_000);
    });

    it('ignores candidates that were never sent and missing scores', async () => {
      const nonsense = [
        { index: 99, score: 1 },
        { index: -1, score: 1 },
        { index: 0.5, score: 1 },
        { index: '1', score: 1 },
        { index: null, score: 1 },
        { index: 2, score: 'high' },
        { index: 2, score: null },
      ];
      model.trouble = (right) => [...nonsense, ...right];
      const ids = await rankedIds(open().rerank('tides', candidates));
      expect(ids.toSorted()).toEqual(['ferry', 'mole', 'moon', 'tides']);
    });

    const INCOMPLETE: [string, Trouble][] = [
      ['too few', (right) => right.slice(1)],
      ['one twice', (right) => [right[0], ...right.slice(0, -1)]],
    ];
    it.each<[string, Trouble]>([
      ...(completes ? [] : INCOMPLETE),
      ['nothing', () => []],
      ['what is no list', () => ({ best: 1 })],
      ['null', () => null],
    ])('fails without retry if the model ranks %s', async (_, trouble) => {
      model.trouble = trouble;
      const error = await catchFailure(open().rerank('tides', candidates));
      expect(error).toBeInstanceOf(DomainError);
      expect(error).toMatchObject({ code: 'upstream', retryable: false });
    });

    it('is retryable if the model fails', async () => {
      model.trouble = () => Promise.reject(new Error('out of capacity'));
      const error = await catchFailure(open().rerank('tides', candidates));
      expect(error).toMatchObject({ code: 'upstream', retryable: true });
    });

    it('is retryable if the model hangs', async () => {
      model.trouble = () => new Promise(() => {});
      const error = await catchFailure(open({ timeout: 0.05 }).rerank('tides', candidates));
      expect(error).toMatchObject({ code: 'upstream', retryable: true });
      expect(error.message).toContain('did not answer within');
    });
  });
}
