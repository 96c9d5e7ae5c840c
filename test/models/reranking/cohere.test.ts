import { describe, expect, it } from 'vitest';
import { cohere } from '#src/models/reranking/cohere.ts';
import { rerankCandidate, rerankerSuite } from '#test/suites/reranker.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { vendorRanker } from './vendor-ranker.ts';

const KEY = 'key-of-the-reranker';
const settings = { base_url: 'http://ranks.test/v2/', model: 'm', api_key: KEY };
const mount = { vendor: 'cohere-rerank', base: 'http://ranks.test', settings: { key: KEY } };
const open = (given: object = {}) => cohere.open({ ...settings, ...given }, modelDeps());

interface Body {
  query: string;
  documents: string[];
  top_n: number;
}

rerankerSuite({
  name: 'Cohere protocol',
  open,
  ...vendorRanker(mount, (body) => {
    const { query, documents, top_n: topN } = body as Body;
    return { query, documents, topN };
  }),
});

describe('Cohere-compatible endpoint', () => {
  useVendors(mount);

  it('reports a rejected key without revealing the key', async () => {
    const ranking = open({ api_key: 'some-other-key' }).rerank('q', [rerankCandidate('a', 'b')]);
    const error = await ranking.catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'upstream', retryable: false, status: 401 });
    expect((error as Error).message).not.toContain('some-other-key');
    expect(await cohere.check(settings, modelDeps())).toContain('rerank/m answers');
  });
});
