import { beforeAll, describe, expect, it } from 'vitest';
import { buildPdf, image, paragraph, solidImage, text } from '#test/fixtures/pdf.ts';
import { call, upload } from '#test/support/client.ts';
import { createPipeline, type RetrievedNode, sync, untilFinished } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Result {
  pipeline_id: string;
  retrieval_nodes: RetrievedNode[];
  image_nodes: { node: { file_id: string; page_index: number; image_size: number }; score: number }[];
  page_figure_nodes: {
    node: { file_id: string; page_index: number; figure_name: string; figure_size: number };
    score: number;
  }[];
  inferred_search_filters: { condition: string; filters: unknown[] } | null;
  metadata: Record<string, string>;
  retrieval_latency: Record<string, number>;
}

const manual = buildPdf({
  pages: [
    {
      content:
        text(72, 720, 'Harbour manual', 24, 'F2') + paragraph(72, 680, ['Ships moor at the northern quay.']),
    },
    {
      content:
        paragraph(72, 720, ['The lighthouse keeper is called Matilda Oyelaran.']) +
        image(0, 72, 300, 200, 120),
      images: [solidImage(200, 120, [200, 30, 30])],
    },
    { content: paragraph(72, 720, ['Tides reach four metres in spring.']) },
  ],
});

const BUDGET =
  'The budget grows by two percent. The harbour pays for dredging.\n\nThe lighthouse gets a new lamp.';
const MINUTES = 'The board met on Monday. Nobody spoke of ferries.\n\nThe lamp was discussed at length.';

let pipelineId: string;
let ids: { manual: string; budget: string; minutes: string };

async function ask(
  query: string,
  parameters: Record<string, unknown> = {},
  pipeline = pipelineId,
): Promise<Result> {
  const path = `/api/v1/pipelines/${pipeline}/retrieve`;
  const answer = await call<Result>('POST', path, { body: { query, ...parameters } });
  expect([answer.status, answer.status === 200 ? null : answer.body]).toEqual([200, null]);
  return answer.body;
}
const listFileIds = ({ retrieval_nodes }: Result) =>
  retrieval_nodes.map(({ node }) => node.extra_info.file_id);

beforeAll(async () => {
  pipelineId = await createPipeline({
    transform_config: {
      mode: 'advanced',
      segmentation_config: { mode: 'page' },
      chunking_config: { mode: 'sentence', chunk_size: 12, chunk_overlap: 0 },
    },
  });
  ids = {
    manual: await upload('harbour-manual.pdf', manual),
    budget: await upload('budget_2024.txt', BUDGET),
    minutes: await upload('boardMinutes.txt', MINUTES),
  };
  const described = {
    [ids.manual]: { year: 2021, kind: 'manual', public: true },
    [ids.budget]: { year: 2024, kind: 'finance', author: 'Jens Brandt' },
    [ids.minutes]: { year: 2024, kind: 'minutes', public: false },
  };
  const body = Object.entries(described).map(([file_id, custom_metadata]) => ({ file_id, custom_metadata }));
  expect((await call('PUT', `/api/v1/pipelines/${pipelineId}/files`, { body })).status).toBe(200);
  expect((await sync(pipelineId)).status).toBe('SUCCESS');
});

describe('weights and cutoffs', () => {
  it('reports the weight, which defaults to that of the embedder', async () => {
    expect((await ask('lighthouse')).metadata.alpha).toBe('0.08');
    expect((await ask('lighthouse', { alpha: 0.7 })).metadata.alpha).toBe('0.7');
  });

  it('searches only by vectors or only by keywords at the ends', async () => {
    const sparse = await ask('zymurgy', { alpha: 0, enable_reranking: false });
    expect(sparse.retrieval_nodes).toEqual([]);
    expect(sparse.retrieval_latency.embedding).toBeUndefined();
    const dense = await ask('zymurgy', { alpha: 1, enable_reranking: false });
    expect(dense.retrieval_nodes.length).toBeGreaterThan(0);
    for (const { score } of dense.retrieval_nodes) expect(score).toBeLessThanOrEqual(1);
  });

  it('applies the similarity cutoff to vectors, and top-k to both', async () => {
    const only = { alpha: 1, enable_reranking: false };
    const all = (await ask('The lighthouse gets a new lamp.', only)).retrieval_nodes;
    const [first, second] = all as [RetrievedNode, RetrievedNode];
    expect(first.node.text.trim()).toBe('The lighthouse gets a new lamp.');
    const between = (first.score + second.score) / 2;
    const near = await ask('The lighthouse gets a new lamp.', { ...only, dense_similarity_cutoff: between });
    expect(near.retrieval_nodes).toEqual([first]);
    expect((await ask('lamp', { ...only, dense_similarity_top_k: 2 })).retrieval_nodes).toHaveLength(2);
    expect(
      (await ask('lamp', { alpha: 0, sparse_similarity_top_k: 1, enable_reranking: false })).retrieval_nodes,
    ).toHaveLength(1);
    // Results found by keywords are not cut.
    const both = await ask('lamp', { alpha: 0.5, dense_similarity_cutoff: 1, enable_reranking: false });
    const words = await ask('lamp', { alpha: 0, dense_similarity_cutoff: 1, enable_reranking: false });
    const texts = ({ retrieval_nodes: nodes }: typeof both) => nodes.map(({ node }) => node.text).sort();
    expect(texts(both)).toEqual(texts(words));
    expect(both.metadata.dense_similarity_cutoff).toBeUndefined();
    expect(words.metadata.dense_similarity_cutoff).toMatch(/^no effect/);
  });

  it('reranks to rerank_top_n, and reports the reranker', async () => {
    const { retrieval_nodes, metadata, retrieval_latency } = await ask('lamp', { rerank_top_n: 1 });
    expect(retrieval_nodes).toHaveLength(1);
    expect(metadata.reranker).toMatch(/^builtin\//);
    for (const stage of ['embedding', 'search', 'dense', 'sparse', 'rerank', 'total']) {
      expect([stage, retrieval_latency[stage]]).toEqual([stage, expect.any(Number)]);
    }
    expect((await ask('lamp', { enable_reranking: false })).metadata.reranker).toBeUndefined();
  });
});

it('reports the parts of each score', async () => {
  const found = async (parameters: Record<string, unknown>) =>
    (await ask('lamp', { ...parameters })).retrieval_nodes;
  const [best] = (await found({ alpha: 0.5 })) as [RetrievedNode];
  const parts = best.score_parts!;
  expect(parts).toEqual({ dense: expect.any(Number), sparse: expect.any(Number), rerank: best.score });
  const alone = async (alpha: number) =>
    (await found({ alpha, enable_reranking: false })).find(({ node }) => node.id_ === best.node.id_)!;
  const [byVectors, byWords] = [await alone(1), await alone(0)];
  expect(byVectors).toMatchObject({
    score: parts.dense,
    score_parts: { dense: parts.dense, sparse: null, rerank: null },
  });
  expect(byWords).toMatchObject({
    score: parts.sparse,
    score_parts: { dense: null, sparse: parts.sparse, rerank: null },
  });
  const [file] = await found({ retrieval_mode: 'files_via_content' });
  expect(file!.score_parts).toBeUndefined();
});

describe('queries without a word', () => {
  it.each(['???', '🚀'])('%s finds nothing, with a note', async (query) => {
    for (const alpha of [0, 0.5, 1]) {
      const { retrieval_nodes, metadata } = await ask(query, { alpha });
      expect([alpha, retrieval_nodes]).toEqual([alpha, []]);
      expect(metadata.query).toContain('no word');
    }
  });
});

describe('retrieval modes', () => {
  it('files_via_content returns the whole file of the best chunk', async () => {
    const result = await ask('budget for dredging', { retrieval_mode: 'files_via_content' });
    expect(listFileIds(result)).toEqual([ids.budget]);
    expect(result.retrieval_nodes[0]!.node.text).toBe(BUDGET);
    expect(result.metadata.retrieval_mode).toBe('files_via_content');
  });

  it('files_via_content returns files_top_k files, each once', async () => {
    const parameters = { retrieval_mode: 'files_via_content', files_top_k: 2 };
    const result = await ask('lamp of the lighthouse', parameters);
    expect(result.retrieval_nodes).toHaveLength(2);
    expect(new Set(listFileIds(result)).size).toBe(2);
  });

  it('files_via_metadata searches file names', async () => {
    const result = await ask('board minutes', { retrieval_mode: 'files_via_metadata' });
    expect(listFileIds(result)).toEqual([ids.minutes]);
    expect(result.retrieval_nodes[0]!.node.text).toBe(MINUTES);
    expect(result.metadata.file_choice).toMatch(/^builtin\//);
  });

  it('files_via_metadata searches custom metadata', async () => {
    const result = await ask('what did Jens Brandt hand in', { retrieval_mode: 'files_via_metadata' });
    expect(listFileIds(result)).toEqual([ids.budget]);
  });

  it('files_via_metadata falls back to the content, with a note', async () => {
    const result = await ask('Oyelaran', { retrieval_mode: 'files_via_metadata' });
    expect(listFileIds(result)).toEqual([ids.manual]);
    expect(result.metadata.file_choice).toContain('chosen by content');
  });

  it('filters apply to files as well', async () => {
    const search_filters = { filters: [{ key: 'kind', value: 'finance' }] };
    for (const retrieval_mode of ['files_via_metadata', 'files_via_content']) {
      const result = await ask('the lamp in the board minutes', {
        retrieval_mode,
        search_filters,
        files_top_k: 5,
      });
      expect([retrieval_mode, listFileIds(result)]).toEqual([retrieval_mode, [ids.budget]]);
    }
  });

  it.each([
    ['Who is the lighthouse keeper?', 'chunks'],
    ['Summarize what the harbour pays for', 'files_via_content'],
    ['show me budget_2024.txt', 'files_via_metadata'],
  ])('auto_routed: %s -> %s', async (query, mode) => {
    const { metadata } = await ask(query, { retrieval_mode: 'auto_routed' });
    expect(metadata).toMatchObject({ retrieval_mode: mode, router: expect.stringMatching(/^builtin\//) });
  });
});

describe('filters', () => {
  const schema = {
    type: 'object',
    properties: {
      year: { type: 'integer' },
      kind: { type: 'string', enum: ['manual', 'finance', 'minutes'] },
    },
  };

  it('are inferred from the query and reported', async () => {
    const result = await ask('the lamp, from minutes of 2024', { search_filters_inference_schema: schema });
    expect(result.inferred_search_filters).toEqual({
      condition: 'and',
      filters: expect.arrayContaining([
        { key: 'kind', operator: '==', value: 'minutes' },
        { key: 'year', operator: '==', value: 2024 },
      ]),
    });
    expect(new Set(listFileIds(result))).toEqual(new Set([ids.minutes]));
    expect(result.metadata.filter_inference).toMatch(/^builtin\//);
  });

  it('are inferred for values with punctuation', async () => {
    const marked = { kind: { enum: ['non-profit', 'e-commerce'] } };
    const result = await ask('what a non-profit pays', { search_filters_inference_schema: marked });
    expect(result.inferred_search_filters?.filters).toEqual([
      { key: 'kind', operator: '==', value: 'non-profit' },
    ]);
  });

  it('of the request and inferred filters must both match', async () => {
    const result = await ask('the lamp, from minutes of 2024', {
      search_filters_inference_schema: schema,
      search_filters: { filters: [{ key: 'kind', value: 'finance' }] },
    });
    expect(result.retrieval_nodes).toEqual([]);
  });

  it('are not inferred if the query names no value or if no schema is given', async () => {
    const silent = await ask('where do ships moor', { search_filters_inference_schema: schema });
    expect(silent.inferred_search_filters).toBeNull();
    expect(silent.retrieval_nodes.length).toBeGreaterThan(0);
    const unasked = await ask('minutes of 2024');
    expect(unasked.inferred_search_filters).toBeNull();
    expect(unasked.metadata.filter_inference).toBeUndefined();
  });
});

describe('pictures', () => {
  const query = 'Who is the lighthouse keeper Matilda Oyelaran?';
  const best = { rerank_top_n: 1 };

  it('are returned for the pages of the retrieved chunks, and can be fetched', async () => {
    const result = await ask(query, {
      ...best,
      retrieve_page_screenshot_nodes: true,
      retrieve_page_figure_nodes: true,
    });
    const score = result.retrieval_nodes[0]!.score;
    expect(result.image_nodes).toHaveLength(1);
    expect(result.image_nodes[0]).toMatchObject({ score, node: { file_id: ids.manual, page_index: 1 } });
    const screenshot = await call<string>('GET', `/api/v1/files/${ids.manual}/page_screenshots/1`);
    expect(screenshot.status).toBe(200);
    expect(result.image_nodes[0]!.node.image_size).toBe(Number(screenshot.headers.get('content-length')));
    expect(result.page_figure_nodes).toHaveLength(1);
    const figure = result.page_figure_nodes[0]!;
    expect(figure).toMatchObject({ score, node: { file_id: ids.manual, page_index: 1 } });
    const path = `/api/v1/files/${ids.manual}/page-figures/1/${figure.node.figure_name}`;
    expect((await call('GET', path)).status).toBe(200);
  });

  it('are both returned with the deprecated flag, and none by default', async () => {
    const both = await ask(query, { ...best, retrieve_image_nodes: true });
    expect([both.image_nodes.length, both.page_figure_nodes.length]).toEqual([1, 1]);
    const none = await ask(query, best);
    expect([none.image_nodes, none.page_figure_nodes]).toEqual([[], []]);
  });

  it('of whole files cover all their pages', async () => {
    const parameters = { retrieval_mode: 'files_via_content', retrieve_page_screenshot_nodes: true };
    const { image_nodes } = await ask(query, parameters);
    expect(image_nodes.map(({ node }) => node.page_index)).toEqual([0, 1, 2]);
  });
});

describe('presets', () => {
  it('apply to omitted parameters, and null selects the default', async () => {
    const own = await createPipeline({
      preset_retrieval_parameters: { alpha: 0, rerank_top_n: 1, retrieval_mode: 'files_via_content' },
    });
    const body = [
      { id: 'one', text: 'Gulls nest on the mole.', metadata: {} },
      { id: 'two', text: 'Gulls eat herring.', metadata: {} },
    ];
    expect((await call('POST', `/api/v1/pipelines/${own}/documents`, { body })).status).toBe(200);
    expect((await untilFinished(own)).status).toBe('SUCCESS');
    const preset = await ask('gulls', {}, own);
    expect(preset.metadata).toMatchObject({ alpha: '0', retrieval_mode: 'files_via_content' });
    expect(preset.retrieval_nodes).toHaveLength(1);
    const reset = await ask('gulls', { alpha: null, retrieval_mode: null, rerank_top_n: null }, own);
    expect(reset.metadata).toMatchObject({ alpha: '0.08', retrieval_mode: 'chunks' });
    expect(reset.retrieval_nodes).toHaveLength(2);
    const asked = await ask('gulls', { alpha: 0.4, retrieval_mode: 'chunks' }, own);
    expect(asked.metadata).toMatchObject({ alpha: '0.4', retrieval_mode: 'chunks' });
    expect(asked.retrieval_nodes).toHaveLength(1);
  });
});

describe('invalid requests', () => {
  const path = () => `/api/v1/pipelines/${pipelineId}/retrieve`;

  it.each([
    ['no query', {}],
    ['an empty query', { query: '' }],
    ['a blank query', { query: ' \n' }],
    ['a document as query', { query: 'x'.repeat(20_001) }],
    ['alpha above 1', { query: 'x', alpha: 1.1 }],
    ['a cutoff below 0', { query: 'x', dense_similarity_cutoff: -0.1 }],
    ['no dense hits', { query: 'x', dense_similarity_top_k: 0 }],
    ['too many sparse hits', { query: 'x', sparse_similarity_top_k: 101 }],
    ['too many reranked', { query: 'x', rerank_top_n: 101 }],
    ['too many files', { query: 'x', files_top_k: 6 }],
    ['an unknown mode', { query: 'x', retrieval_mode: 'files' }],
    [
      'an unknown operator',
      { query: 'x', search_filters: { filters: [{ key: 'a', operator: '~', value: 1 }] } },
    ],
    [
      'a filter with a member that is none',
      { query: 'x', search_filters: { filters: [{ key: 'a', op: '>', value: 1 }] } },
    ],
    ['a schema that is none', { query: 'x', search_filters_inference_schema: 'year' }],
  ])('answer 422: %s', async (_title, body) => {
    expect((await call('POST', path(), { body })).status).toBe(422);
  });

  it('answer 401 without a key, and 404 for another tenant', async () => {
    const { key } = await createTenant();
    expect((await call('POST', path(), { key: null, body: { query: 'x' } })).status).toBe(401);
    expect((await call('POST', path(), { key, body: { query: 'x' } })).status).toBe(404);
  });
});
