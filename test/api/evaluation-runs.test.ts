import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import {
  createQuestionSet,
  listQuestions,
  listResults,
  RUNS,
  type RunBody,
  SETS,
  startRun,
  untilRunEnds,
} from '#test/support/evaluations.ts';
import { valuesOf } from '#test/support/inserted-rows.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

const TEXTS = {
  'marmalade.md': 'Marmalade needs bitter oranges, sugar and water.',
  'ships.md': 'The harbour has room for twelve ships.',
  'tides.md': 'The tide is highest at noon in March.',
};

async function indexedPipeline() {
  const pipeline_id = await createPipeline();
  const [marmalade, ships, tides] = await addFiles(pipeline_id, TEXTS);
  expect((await sync(pipeline_id)).status).toBe('SUCCESS');
  return { pipeline_id, marmalade: marmalade!, ships: ships!, tides: tides! };
}

let indexed: ReturnType<typeof indexedPipeline> | undefined;
const shared = () => {
  indexed ??= indexedPipeline();
  return indexed;
};

async function sharedSet() {
  const { marmalade, ships, tides } = await shared();
  return createQuestionSet([
    {
      text: 'What does marmalade need?',
      tags: ['food'],
      expected_documents: [{ document_id: marmalade }],
      expected_answer: 'bitter oranges',
    },
    {
      text: 'How many ships fit into the harbour?',
      tags: ['sea'],
      expected_passages: [{ text: 'TWELVE ships' }],
    },
    { text: 'When is the tide highest?', tags: ['sea'], expected_pages: [{ document_id: tides, page: 1 }] },
    { text: 'What does marmalade need?', expected_documents: [{ document_id: ships, relevance: 2 }] },
    { text: 'Who won the election?', expects_refusal: true },
  ]);
}

describe('an evaluation run', () => {
  it('measures every question, by tag and by document', async () => {
    const { pipeline_id, marmalade } = await shared();
    const question_set_id = await sharedSet();
    const created = await startRun({ question_set_id, pipeline_id, name: 'First' });
    expect(created).toMatchObject({ name: 'First', question_count: 5, question_set_version: 2, pipeline_id });
    const ended = await untilRunEnds(created.id);
    expect(ended).toMatchObject({
      status: 'COMPLETED',
      error_message: null,
      summary: { completed_count: 5, failed_count: 0, scored_count: 4 },
    });
    const results = await listResults(created.id);
    expect(results.map(({ position, status }) => [position, status])).toEqual(
      [1, 2, 3, 4, 5].map((position) => [position, 'completed']),
    );
    expect(results[0]).toMatchObject({
      metrics: { 'hit@1': 1, 'recall@5': 1, mrr: 1, 'ndcg@10': 1, latency_ms: expect.any(Number) },
      answer: null,
    });
    expect(results[0]?.retrieved?.[0]).toMatchObject({ document_id: marmalade, relevance: 1 });
    expect(results[1]?.metrics).toMatchObject({ 'hit@1': 1 });
    expect(results[3]?.metrics).toMatchObject({ 'hit@1': 0 });
    expect(results[4]?.metrics).toEqual({ latency_ms: expect.any(Number) });
    const scored = results.slice(0, 4).map(({ metrics }) => metrics!.mrr!);
    expect(ended.summary?.metrics.mrr).toBeCloseTo(scored.reduce((sum, each) => sum + each, 0) / 4, 10);
    const tags = await call<{ groups: object[] }>('GET', `${RUNS}/${created.id}/breakdown?by=tag`);
    expect(tags.body.groups).toMatchObject([
      { key: 'sea', name: null, completed_count: 2, metrics: { 'hit@5': 1 } },
      { key: 'food', completed_count: 1, metrics: { 'hit@1': 1 } },
    ]);
    const files = await call<{ groups: { key: string }[] }>(
      'GET',
      `${RUNS}/${created.id}/breakdown?by=document`,
    );
    expect(files.body.groups).toHaveLength(3);
    expect(files.body.groups.find(({ key }) => key === marmalade)).toMatchObject({
      name: 'marmalade.md',
      metrics: { mrr: 1 },
    });
    expect(await listResults(created.id, '?tag=sea')).toHaveLength(2);
    const listed = await call<{ items: RunBody[] }>('GET', `${RUNS}?question_set_id=${question_set_id}`);
    expect(listed.body.items).toMatchObject([{ id: created.id, summary: { completed_count: 5 } }]);
  });

  it('measures answers, citations and refusals', async () => {
    const { pipeline_id } = await shared();
    const question_set_id = await sharedSet();
    const { id } = await startRun({ question_set_id, pipeline_id, answer: true });
    const ended = await untilRunEnds(id);
    expect(ended.status).toBe('COMPLETED');
    const results = await listResults(id);
    expect(results[0]?.answer).toMatchObject({ said: true, cited: true, refused: false });
    expect(results[1]?.answer).toMatchObject({ said: null, cited: true });
    expect(results[3]?.answer).toMatchObject({ cited: false });
    expect(results[4]?.answer).toMatchObject({ said: null, cited: null, refused: true });
    expect(ended.summary?.metrics).toMatchObject({ said: 1, cited: 0.75 });
  });

  it('shows nothing of documents that were deleted since', async () => {
    const pipeline_id = await createPipeline();
    const [lamp] = await addFiles(pipeline_id, { 'lamp.md': 'The lamp of the pier is green.' });
    expect((await sync(pipeline_id)).status).toBe('SUCCESS');
    const question_set_id = await createQuestionSet([
      { text: 'Which colour has the lamp of the pier?', expected_documents: [{ document_id: lamp }] },
    ]);
    const { id } = await startRun({ question_set_id, pipeline_id, answer: true });
    await untilRunEnds(id);
    const [before] = await listResults(id);
    expect(before).toMatchObject({ retrieved: [{ title: 'lamp.md' }], answer: { cited: true } });
    expect(before).toHaveProperty('answer.text', expect.stringContaining('green'));
    expect((await call('DELETE', `/api/v1/beta/files/${lamp}`)).status).toBeLessThan(300);
    const [after] = await listResults(id);
    expect(after).toMatchObject({
      retrieved: [{ title: '', relevance: 1 }],
      answer: { text: null, cited: true },
    });
  });

  it('evaluates a retriever, and uses the questions as they were at its start', async () => {
    const { pipeline_id } = await shared();
    const question_set_id = await sharedSet();
    const body = { name: `retriever ${crypto.randomUUID()}`, pipelines: [{ pipeline_id }] };
    const retriever = (await call<{ id: string }>('POST', '/api/v1/retrievers', { body })).body.id;
    const { id } = await startRun({
      question_set_id,
      retriever_id: retriever,
      retrieval_parameters: { rerank_top_n: 1 },
    });
    const [first] = await listQuestions(question_set_id);
    await call('DELETE', `${SETS}/${question_set_id}/questions/${first!.id}`);
    expect(await untilRunEnds(id)).toMatchObject({
      status: 'COMPLETED',
      question_set_version: 2,
      question_count: 5,
    });
    const [result] = await listResults(id);
    expect(result).toMatchObject({ question_id: first!.id, metrics: { 'hit@1': 1 } });
    expect(result?.retrieved).toHaveLength(1);
  });

  it('is compared with another run by the questions that both have', async () => {
    const { pipeline_id } = await shared();
    const question_set_id = await sharedSet();
    const first = await startRun({ question_set_id, pipeline_id, name: 'One' });
    await untilRunEnds(first.id);
    const [, edited] = await listQuestions(question_set_id);
    const path = `${SETS}/${question_set_id}/questions/${edited!.id}`;
    expect((await call('PUT', path, { body: { text: 'How many ships?' } })).status).toBe(200);
    const second = await startRun({ question_set_id, pipeline_id, name: 'Two' });
    await untilRunEnds(second.id);
    const compared = await call(
      'GET',
      `${RUNS}/${second.id}/compare?with=${first.id}&metric=${encodeURIComponent('recall@5')}`,
    );
    expect(compared.body).toMatchObject({
      metric: 'recall@5',
      baseline_run_id: first.id,
      compared_count: 3,
      edited_count: 1,
      difference: 0,
      verdict: 'no_clear_difference',
      summary: expect.stringContaining('No clear difference between “One” and “Two”'),
      changes: [],
    });
    const { key } = await createTenant();
    expect((await call('GET', `${RUNS}/${second.id}/compare?with=${first.id}`, { key })).status).toBe(404);
  });

  it('stays readable after its pipeline was deleted, with the name of the pipeline', async () => {
    const pipeline_id = await createPipeline();
    const question_set_id = await sharedSet();
    const { id } = await startRun({ question_set_id, pipeline_id });
    // A pipeline that was never synced finds nothing, which is no failure.
    const ended = await untilRunEnds(id);
    expect(ended).toMatchObject({ status: 'COMPLETED', summary: { metrics: { mrr: 0 } } });
    expect((await call('DELETE', `/api/v1/pipelines/${pipeline_id}`)).status).toBe(204);
    expect((await call<RunBody>('GET', `${RUNS}/${id}`)).body).toEqual(ended);
    expect(ended.target_name).toMatch(/^pipeline /);
    expect((await call('POST', RUNS, { body: { question_set_id, pipeline_id } })).status).not.toBe(200);
  });

  it('can be cancelled and deleted, and is deleted with its question set', async () => {
    const { pipeline_id } = await shared();
    const question_set_id = await createQuestionSet(
      Array.from({ length: 60 }, (_, at) => ({ text: `Question ${at}?` })),
    );
    const { id } = await startRun({ question_set_id, pipeline_id });
    const cancelled = await call<RunBody>('POST', `${RUNS}/${id}/cancel`);
    expect(cancelled.body.status).toBe('CANCELLED');
    const done = cancelled.body.summary!.completed_count;
    expect(done).toBeLessThan(60);
    expect(await listResults(id, '?status=completed')).toHaveLength(done);
    expect((await call('DELETE', `${RUNS}/${id}`)).status).toBe(204);
    expect((await call('GET', `${RUNS}/${id}`)).status).toBe(404);
    expect(await valuesOf('evaluation_results', 'question_id', `run_id = '${id}'`)).toEqual([]);
    const other = await startRun({ question_set_id, pipeline_id });
    expect((await call('DELETE', `${SETS}/${question_set_id}`)).status).toBe(204);
    expect((await call('GET', `${RUNS}/${other.id}`)).status).toBe(404);
    expect(await valuesOf('evaluation_results', 'question_id', `run_id = '${other.id}'`)).toEqual([]);
  });

  it('refuses empty sets, wrong targets and too many runs at once, and is invisible to other tenants', async () => {
    const { pipeline_id } = await shared();
    const empty = await createQuestionSet([]);
    const start = (body: object, key?: string) => call('POST', RUNS, { body, ...(key && { key }) });
    expect((await start({ question_set_id: empty, pipeline_id })).status).toBe(409);
    const question_set_id = await createQuestionSet([{ text: 'What?' }]);
    expect((await start({ question_set_id })).status).toBe(422);
    expect((await start({ question_set_id, pipeline_id, retriever_id: pipeline_id })).status).toBe(422);
    const { key } = await createTenant();
    const own = await createQuestionSet([{ text: 'What?' }], { key });
    expect((await start({ question_set_id, pipeline_id }, key)).status).toBe(404);
    expect((await start({ question_set_id: own, pipeline_id }, key)).status).toBe(404);
    const pipeline = await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body: { name: 'Mine' } });
    const body = { question_set_id: own, pipeline_id: pipeline.body.id };
    const answers = await Promise.all(Array.from({ length: 25 }, () => start(body, key)));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const { id } = await startRun({ question_set_id, pipeline_id });
    for (const [method, path] of [
      ['GET', `${RUNS}/${id}`],
      ['GET', `${RUNS}/${id}/results`],
      ['GET', `${RUNS}/${id}/breakdown?by=tag`],
      ['POST', `${RUNS}/${id}/cancel`],
      ['DELETE', `${RUNS}/${id}`],
    ] as const) {
      expect((await call(method, path, { key })).status).toBe(404);
    }
    expect((await untilRunEnds(id)).status).toBe('COMPLETED');
  });
});
