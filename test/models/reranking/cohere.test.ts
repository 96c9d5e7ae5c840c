import { afterEach, describe, expect, it, vi } from 'vitest';
import { cohere } from '#src/models/reranking/cohere.ts';
import { FakeRanker, rerankCandidate, rerankerSuite } from '#test/suites/reranker.suite.ts';
import { modelDeps } from '#test/support/models.ts';

const KEY = 'key-of-the-reranker';
const model = new FakeRanker();
const isPlace = (value: unknown): value is { index: unknown; score: unknown } =>
  typeof value === 'object' && value !== null && 'index' in value;

/** `POST /v2/rerank` of Cohere's protocol, and nothing else. */
async function serve(request: Request): Promise<Response> {
  const refused = (status: number, message: string) => Response.json({ message }, { status });
  if (request.method !== 'POST' || new URL(request.url).pathname !== '/v2/rerank')
    return refused(404, 'path');
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) return refused(401, `not with ${KEY}`);
  const { query, documents, top_n, ...rest } = (await request.json()) as Record<string, unknown>;
  const isKnown =
    typeof query === 'string' &&
    Array.isArray(documents) &&
    documents.every((each) => typeof each === 'string') &&
    Number.isInteger(top_n) &&
    Object.keys(rest).join() === 'model';
  if (!isKnown) return refused(400, 'not in the protocol');
  try {
    const said = await model.rank(query, documents, top_n as number);
    const results = Array.isArray(said)
      ? said.filter(isPlace).map(({ index, score }) => ({ index, relevance_score: score }))
      : said;
    return Response.json({ id: 'r', results });
  } catch {
    return refused(503, 'out of capacity');
  }
}

const settings = { base_url: 'http://ranks.test/v2/', model: 'm', api_key: KEY };
const open = (given: object = {}) => cohere.open({ ...settings, ...given }, modelDeps());

rerankerSuite({ name: 'Cohere protocol', model, serve, open });

describe('an endpoint of the protocol', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('refuses a key without its being told to anybody', async () => {
    vi.stubGlobal('fetch', (input: string, init?: RequestInit) => serve(new Request(input, init)));
    const ranking = open({ api_key: 'some-other-key' }).rerank('q', [rerankCandidate('a', 'b')]);
    const error = await ranking.catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'upstream', retryable: false, status: 401 });
    expect((error as Error).message).not.toContain('some-other-key');
    expect(await cohere.check(settings, modelDeps())).toContain('rerank/m ranks');
  });
});
