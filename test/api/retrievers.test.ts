import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { createPipeline, untilFinished } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Retriever {
  id: string;
  name: string;
  pipelines: { pipeline_id: string; name?: string | null }[];
}
interface Result {
  nodes: {
    node: {
      id: string;
      text: string;
      pipeline_id: string;
      retriever_id: string;
      retriever_pipeline_name: string;
    };
    score: number;
    score_parts: { dense: number | null; sparse: number | null; rerank: number | null };
  }[];
  image_nodes: unknown[];
  page_figure_nodes: unknown[];
  metadata: Record<string, unknown> & { pipelines: Record<string, Record<string, string>> };
  retrieval_latency: Record<string, number>;
}

const path = '/api/v1/retrievers';
let birds: string;
let ships: string;

async function createPipelineWith(texts: string[]): Promise<string> {
  const id = await createPipeline();
  const body = texts.map((text, index) => ({ id: `${index}`, text, metadata: {} }));
  expect((await call('POST', `/api/v1/pipelines/${id}/documents`, { body })).status).toBe(200);
  expect((await untilFinished(id)).status).toBe('SUCCESS');
  return id;
}

const members = () => [
  { pipeline_id: birds, name: 'birds', description: 'Notes on gulls and terns' },
  { pipeline_id: ships, name: 'ships', description: 'The register of ferries' },
];

async function create(body: Record<string, unknown> = {}): Promise<Retriever> {
  const answer = await call<Retriever>('POST', path, {
    body: { name: `retriever ${crypto.randomUUID()}`, pipelines: members(), ...body },
  });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function ask(id: string, body: Record<string, unknown>): Promise<Result> {
  const answer = await call<Result>('POST', `${path}/${id}/retrieve`, { body });
  expect([answer.status, answer.status === 200 ? null : answer.body]).toEqual([200, null]);
  return answer.body;
}
const listPipelineNames = ({ nodes }: Result) => nodes.map(({ node }) => node.retriever_pipeline_name);

beforeAll(async () => {
  [birds, ships] = (await Promise.all([
    createPipelineWith(['Gulls nest on the quay.', 'Terns fly far.']),
    createPipelineWith(['The ferry leaves from the quay.', 'The tug is red.']),
  ])) as [string, string];
});

describe('retrievers', () => {
  it('are created, read, listed, updated and deleted', async () => {
    const made = await create();
    const one = `${path}/${made.id}`;
    expect((await call<Retriever>('GET', one)).body).toEqual(made);
    const listed = await call<Retriever[]>('GET', `${path}?name=${encodeURIComponent(made.name)}`);
    expect(listed.body).toEqual([made]);
    const name = `renamed ${crypto.randomUUID()}`;
    const renamed = await call<Retriever>('PUT', one, { body: { name } });
    expect(renamed.body).toMatchObject({ id: made.id, name, pipelines: made.pipelines });
    const emptied = await call<Retriever>('PUT', one, { body: { pipelines: [] } });
    expect(emptied.body).toMatchObject({ name, pipelines: [] });
    expect((await call('DELETE', one)).status).toBe(204);
    expect((await call('GET', one)).status).toBe(404);
  });

  it('are upserted by name, and a duplicate name is rejected', async () => {
    const made = await create();
    const body = { name: made.name, pipelines: members().slice(0, 1) };
    const upserted = await call<Retriever>('PUT', path, { body });
    expect(upserted.body).toMatchObject({ id: made.id, name: made.name });
    expect(upserted.body.pipelines).toHaveLength(1);
    const conflict = await call('POST', path, { body });
    expect([conflict.status, conflict.headers.get('x-should-retry')]).toEqual([409, 'false']);
    const other = await create();
    expect((await call('PUT', `${path}/${other.id}`, { body: { name: made.name } })).status).toBe(409);
  });
});

describe('asking a retriever', () => {
  it('merges and reranks the results of its pipelines, with the source of each node', async () => {
    const { id } = await create();
    const result = await ask(id, { query: 'quay' });
    expect(new Set(listPipelineNames(result).slice(0, 2))).toEqual(new Set(['birds', 'ships']));
    for (const { node } of result.nodes) {
      expect(node.retriever_id).toBe(id);
      expect(node.pipeline_id).toBe(node.retriever_pipeline_name === 'birds' ? birds : ships);
    }
    for (const { score, score_parts: parts } of result.nodes) {
      expect([parts.rerank, typeof parts.dense, typeof parts.sparse]).toEqual([score, 'number', 'number']);
    }
    expect([result.image_nodes, result.page_figure_nodes]).toEqual([[], []]);
  });

  it('reports the components of each pipeline, and the duration of each stage', async () => {
    const { id } = await create();
    const full = await ask(id, { query: 'gulls at the quay', mode: 'routing' });
    expect(full.metadata.pipelines).toEqual({
      [birds]: expect.objectContaining({ sink: 'managed', retrieval_mode: 'chunks' }),
    });
    expect(full.metadata.reranker).toMatch(/^builtin\//);
    const stages = ['route', 'embedding', 'search', 'dense', 'sparse', 'rerank', 'total'];
    expect(Object.keys(full.retrieval_latency)).toEqual(expect.arrayContaining(stages));
    const { total, ...others } = full.retrieval_latency;
    for (const seconds of Object.values(others)) expect(seconds).toBeLessThanOrEqual(total!);

    const plain = await ask(id, { query: 'quay', rerank_config: { type: 'disabled' } });
    expect(new Set(Object.keys(plain.metadata.pipelines))).toEqual(new Set([birds, ships]));
    expect(plain.metadata.reranker).toBeUndefined();
    expect(plain.retrieval_latency.rerank).toBeUndefined();
  });

  it.each(['system_default', 'score', 'disabled'])('returns top_n nodes in order: %s', async (type) => {
    const { id } = await create();
    const { nodes } = await ask(id, { query: 'the quay', rerank_config: { type, top_n: 2 } });
    expect(nodes).toHaveLength(2);
    expect(nodes[0]!.score).toBeGreaterThanOrEqual(nodes[1]!.score);
  });

  it('routes to the pipelines whose description matches, or to all if none matches', async () => {
    const { id } = await create();
    expect(
      new Set(listPipelineNames(await ask(id, { query: 'gulls at the quay', mode: 'routing' }))),
    ).toEqual(new Set(['birds']));
    expect(new Set(listPipelineNames(await ask(id, { query: 'quay', mode: 'routing' })))).toEqual(
      new Set(['birds', 'ships']),
    );
  });

  it('applies its own parameters to a pipeline', async () => {
    const [first, second] = members();
    const pipelines = [{ ...first, preset_retrieval_parameters: { alpha: 0 } }, { ...second }];
    const { id } = await create({ pipelines });
    // No chunk contains the word, so the keyword search finds nothing.
    expect(new Set(listPipelineNames(await ask(id, { query: 'zymurgy' })))).toEqual(new Set(['ships']));
  });

  it('takes retrieval parameters of the request before its own', async () => {
    const own = { sparse_similarity_top_k: 1, dense_similarity_top_k: 1, alpha: 0 };
    const pipelines = members().map((member) => ({ ...member, preset_retrieval_parameters: own }));
    const { id } = await create({ pipelines });
    const asked = { query: 'gulls terns ferry tug quay' };
    expect((await ask(id, asked)).nodes).toHaveLength(2);
    const retrieval_parameters = { sparse_similarity_top_k: 2, rerank_top_n: 3 };
    const wide = await ask(id, { ...asked, retrieval_parameters });
    expect(wide.nodes).toHaveLength(3);
    expect(wide.metadata.pipelines[birds]).toMatchObject({ alpha: '0' });
    expect(wide.metadata.reranker).toBeDefined();
    const plain = await ask(id, { ...asked, retrieval_parameters: { enable_reranking: false } });
    expect(plain.metadata.reranker).toBeUndefined();
    expect(plain.nodes.map(({ score_parts }) => score_parts.rerank)).toEqual([null, null]);
    // Settings of reranking take precedence.
    const rerank_config = { type: 'system_default', top_n: 1 };
    const one = await ask(id, {
      ...asked,
      rerank_config,
      retrieval_parameters: { enable_reranking: false, rerank_top_n: 4 },
    });
    expect(one.nodes).toHaveLength(1);
    const search_filters = { filters: [{ key: 'document_id', value: '1', operator: '==' }] };
    const direct = await call<Result>('POST', `${path}/retrieve`, {
      body: { ...asked, pipelines: members(), retrieval_parameters: { search_filters } },
    });
    expect(direct.body.nodes.map(({ node }) => node.text).sort()).toEqual([
      'Terns fly far.',
      'The tug is red.',
    ]);
    const refused = await call('POST', `${path}/${id}/retrieve`, {
      body: { ...asked, retrieval_parameters: { alpha: 2 } },
    });
    expect(refused.status).toBe(422);
  });

  it('works without a stored retriever', async () => {
    const body = { query: 'quay', pipelines: members().slice(1) };
    const { body: result } = await call<Result>('POST', `${path}/retrieve`, { body });
    expect(new Set(listPipelineNames(result))).toEqual(new Set(['ships']));
    const { retriever_id } = result.nodes[0]!.node;
    expect(retriever_id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const again = await call<Result>('POST', `${path}/retrieve`, { body });
    expect(again.body.nodes[0]!.node.retriever_id).toBe(retriever_id);
    expect((await call('GET', `${path}/${retriever_id}`)).status).toBe(404);
  });

  it('names every node and every pipeline, even if no name is given', async () => {
    const bare = { pipeline_id: ships };
    const { id, pipelines } = await create({ pipelines: [bare] });
    expect(pipelines).toEqual([{ ...bare, name: null, description: null }]);
    const { nodes } = await ask(id, { query: 'quay' });
    expect(nodes[0]!.node.retriever_pipeline_name).toMatch(/^pipeline /);
  });

  it('scales BM25 scores to those of other pipelines', async () => {
    const [first, second] = members();
    const body = {
      // Repeating the word raises the BM25 score far above 1.
      query: 'quay '.repeat(20),
      rerank_config: { type: 'score' },
      pipelines: [{ ...first, preset_retrieval_parameters: { alpha: 0 } }, { ...second }],
    };
    const { body: result } = await call<Result>('POST', `${path}/retrieve`, { body });
    for (const { score } of result.nodes) expect(score).toBeLessThanOrEqual(1);
    expect(new Set(listPipelineNames(result).slice(0, 2))).toEqual(new Set(['birds', 'ships']));
  });

  it('separates the nodes and notes of a pipeline that is listed twice', async () => {
    const member = { pipeline_id: ships };
    const pipelines = [
      { ...member, name: 'words', preset_retrieval_parameters: { alpha: 0 } },
      { ...member, name: 'both' },
    ];
    const body = { query: 'quay', pipelines };
    const { body: result } = await call<Result>('POST', `${path}/retrieve`, { body });
    expect(new Set(listPipelineNames(result))).toEqual(new Set(['words', 'both']));
    expect(result.metadata.pipelines).toMatchObject({
      [ships]: { alpha: '0' },
      [`${ships}#2`]: { alpha: '0.08' },
    });
  });

  it('skips a deleted pipeline, with a note', async () => {
    const gone = await createPipeline();
    const { id } = await create({ pipelines: [{ pipeline_id: gone, name: 'gone' }, ...members()] });
    expect((await call('DELETE', `/api/v1/pipelines/${gone}`)).status).toBe(204);
    const result = await ask(id, { query: 'quay' });
    expect(new Set(listPipelineNames(result))).toEqual(new Set(['birds', 'ships']));
    expect(result.metadata.pipelines).toMatchObject({ [gone]: { missing: expect.any(String) } });
  });
});

describe('invalid requests', () => {
  it('answer 422 for an invalid retriever or query', async () => {
    const { id } = await create();
    const cases: [string, string, unknown][] = [
      ['POST', path, {}],
      ['POST', path, { name: '' }],
      ['POST', path, { name: 'x', pipelines: [{ pipeline_id: 'none' }] }],
      ['PUT', `${path}/${id}`, { name: '' }],
      ['POST', `${path}/${id}/retrieve`, {}],
      ['POST', `${path}/${id}/retrieve`, { query: 'x', mode: 'half' }],
      ['POST', `${path}/${id}/retrieve`, { query: ' ' }],
      ['POST', `${path}/retrieve`, { query: 'x'.repeat(20_001) }],
      ['POST', `${path}/retrieve`, { query: 'x', rerank_config: { top_n: 0 } }],
    ];
    for (const [method, where, body] of cases) {
      expect([where, body, (await call(method, where, { body })).status]).toEqual([where, body, 422]);
    }
  });

  it('answer 401 without a key, and 404 for another tenant', async () => {
    const { id } = await create();
    const { key } = await createTenant();
    const cases: [string, string, unknown?][] = [
      ['GET', `${path}/${id}`],
      ['PUT', `${path}/${id}`, { name: 'mine' }],
      ['DELETE', `${path}/${id}`],
      ['POST', `${path}/${id}/retrieve`, { query: 'x' }],
      ['POST', path, { name: 'theirs', pipelines: members() }],
      ['PUT', path, { name: 'theirs', pipelines: members() }],
      ['POST', `${path}/retrieve`, { query: 'x', pipelines: members() }],
      ['POST', `${path}/retrieve`, { query: 'gulls', mode: 'routing', pipelines: members() }],
    ];
    for (const [method, where, body] of cases) {
      const init = body === undefined ? {} : { body };
      expect([method, where, (await call(method, where, { ...init, key })).status]).toEqual([
        method,
        where,
        404,
      ]);
      expect((await call(method, where, { ...init, key: null })).status).toBe(401);
    }
    expect((await call('GET', path, { key })).body).toEqual([]);
  });
});
