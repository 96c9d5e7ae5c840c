import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '#src/lib/errors.ts';
import type { RankedPlace } from '#src/models/reranking/document-reranker.ts';
import type { RerankCandidate, Reranker } from '#src/ports/reranker.ts';

export interface RerankerFixture {
  name: string;
  /** Absent for rerankers that ask nobody. */
  model?: FakeRanker;
  open(options?: { timeout?: number }): Reranker;
  /** A model behind HTTP stands in for `fetch`, and refuses what it does not know. */
  serve?: (request: Request) => Promise<Response>;
  /** What the server of the vendor found wrong with the requests, or with itself. */
  problems?: string[];
  /** It puts what its model leaves out behind the rest, as long as the model has ranked something. */
  completes?: boolean;
}

type Trouble = (right: RankedPlace[]) => unknown;

/** The model behind whatever protocol: it likes a document for each `tides` in it. */
export class FakeRanker {
  readonly calls: { query: string; documents: string[]; topN: number }[] = [];
  /** What the next call is answered with; consumed by it. */
  trouble: Trouble | undefined;
  /** Whether the last call was answered with one. */
  wasTroubled = false;

  /** What the model says: places and scores, in its own order. */
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

/** What every reranker promises. */
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

    const idsOf = async (ranking: ReturnType<Reranker['rerank']>) => (await ranking).map(({ id }) => id);
    const failureOf = (work: Promise<unknown>) =>
      work.then(
        () => expect.unreachable('it resolved'),
        (error: DomainError) => error,
      );

    it('gives every candidate once, best first', async () => {
      const results = await open().rerank('tides', candidates);
      expect(results[0]?.id).toBe('tides');
      expect(results.map(({ id }) => id).sort()).toEqual(['ferry', 'mole', 'moon', 'tides']);
      const scores = results.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    });

    it('gives as many as are asked for, and no more than there are', async () => {
      const reranker = open();
      const all = await idsOf(reranker.rerank('tides', candidates));
      expect(await idsOf(reranker.rerank('tides', candidates, { topN: 2 }))).toEqual(all.slice(0, 2));
      expect(await idsOf(reranker.rerank('tides', candidates, { topN: 50 }))).toEqual(all);
      expect(await reranker.rerank('tides', [])).toEqual([]);
      expect(await reranker.rerank('tides', candidates, { topN: 0 })).toEqual([]);
    });

    it('orders equals as they came, each time', async () => {
      const reranker = open();
      const same = ['c', 'a', 'b', 'd'].map((id) => rerankCandidate(id, 'the same words'));
      for (const _ of [1, 2]) {
        expect(await idsOf(reranker.rerank('words', same))).toEqual(['c', 'a', 'b', 'd']);
      }
      expect(await idsOf(reranker.rerank('words', same, { topN: 2 }))).toEqual(['c', 'a']);
    });

    it('keeps candidates apart that say the same, and takes any text', async () => {
      const odd = ['', '\u0000', '\ud800', '潮汐 🌊', 'x'.repeat(200_000)];
      const results = await open().rerank('🌊\u0000\ud800', [
        ...odd.map((text, index) => rerankCandidate(`odd-${index}`, text, { title: text.slice(0, 50) })),
      ]);
      expect(results).toHaveLength(odd.length);
    });

    it('ends with its caller', async () => {
      const reason = new Error('given up');
      const ranking = open().rerank('tides', candidates, { signal: AbortSignal.abort(reason) });
      expect(await failureOf(ranking)).toBe(reason);
      expect(model?.calls ?? []).toEqual([]);
    });

    if (!model) return;

    it('sends the model title, headings and text, cut where it would not read on', async () => {
      const full = rerankCandidate('a', 'Text.', { title: 'a.pdf', headings: ['One', 'Two'] });
      await open().rerank('tides', [full, rerankCandidate('b', 'x'.repeat(100_000))], { topN: 1 });
      const [{ query, documents, topN } = {}] = model.calls;
      expect([query, topN, documents?.[0]]).toEqual(['tides', 1, 'a.pdf\nOne\nTwo\nText.']);
      expect(documents?.[1]?.length).toBeLessThan(20_000);
    });

    it('leaves out what was never sent, and what has no score', async () => {
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
      const ids = await idsOf(open().rerank('tides', candidates));
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
    ])('says that the model has failed when it ranks %s', async (_, trouble) => {
      model.trouble = trouble;
      const error = await failureOf(open().rerank('tides', candidates));
      expect(error).toBeInstanceOf(DomainError);
      expect(error).toMatchObject({ code: 'upstream', retryable: false });
    });

    it('says that the model has failed when it breaks', async () => {
      model.trouble = () => Promise.reject(new Error('out of capacity'));
      const error = await failureOf(open().rerank('tides', candidates));
      expect(error).toMatchObject({ code: 'upstream', retryable: true });
    });

    it('says that the model has failed when it hangs', async () => {
      model.trouble = () => new Promise(() => {});
      const error = await failureOf(open({ timeout: 0.05 }).rerank('tides', candidates));
      expect(error).toMatchObject({ code: 'upstream', retryable: true });
      expect(error.message).toContain('did not answer within');
    });
  });
}
