import { expect, it } from 'vitest';
import { tune } from '#scripts/tune/tune.ts';
import { call } from '#test/support/client.ts';
import { createQuestionSet } from '#test/support/evaluations.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

async function request<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await call<Answer>(method, path, { ...(body && { body }) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status}`);
  return answer.body;
}

const tools = {
  request,
  wait: () => new Promise<void>((resolve) => setTimeout(resolve, 20)),
  print: () => {},
};

it('finds better parameters with one half of the questions and measures them with the other', async () => {
  const name = `tuned ${crypto.randomUUID()}`;
  const words = [
    'anchor',
    'buoy',
    'capstan',
    'davit',
    'fender',
    'galley',
    'hawser',
    'jetty',
    'keel',
    'lantern',
  ];
  // No chunk is so similar to a question, so the dense search of the preset finds nothing.
  const preset = { alpha: 1, dense_similarity_cutoff: 1, enable_reranking: false };
  const pipeline = await createPipeline({ name, preset_retrieval_parameters: preset });
  const files = Object.fromEntries(words.map((word) => [`${word}.md`, `The ${word} was painted in spring.`]));
  await addFiles(pipeline, files);
  expect((await sync(pipeline)).status).toBe('SUCCESS');
  const set = await createQuestionSet(
    words.map((word) => ({
      text: `When was the ${word} painted?`,
      expected_passages: [{ text: `the ${word} was painted` }],
    })),
  );
  const found = await tune(
    {
      set,
      pipeline: name,
      metric: 'ndcg@10',
      alphas: [1, 0],
      reranking: [false],
      chunkSizes: [],
      budget: 2_000,
      save: undefined,
      keep: false,
      project: undefined,
      timeoutMs: PATIENCE_MS,
    },
    tools,
  );
  expect(found.best.parameters).toEqual({ alpha: 0, enable_reranking: false });
  expect(found.comparison).toMatchObject({ verdict: 'better', metric: 'ndcg@10' });
  // Only the two runs of the held-out half are left, and they have the same questions.
  const { items } = await request<{ items: { sample: object; question_count: number }[] }>(
    'GET',
    `/api/v1/evaluations/runs?question_set_id=${set}`,
  );
  expect(items.map(({ sample }) => sample)).toMatchObject([{ half: 'held_out' }, { half: 'held_out' }]);
  expect(items[0]!.question_count).toBe(items[1]!.question_count);
  expect(items[0]!.question_count).toBeLessThan(words.length);
});

it('splits a set into halves that complete each other, and shares that contain each other', async () => {
  const pipeline = await createPipeline();
  const set = await createQuestionSet(
    Array.from({ length: 40 }, (_, at) => ({ text: `How long is quay ${at}?`, expects_refusal: true })),
  );
  const list = async (sample: object) => {
    const body = { question_set_id: set, pipeline_id: pipeline, sample };
    const { id } = await request<{ id: string }>('POST', '/api/v1/evaluations/runs', body);
    const path = `/api/v1/evaluations/runs/${id}`;
    const { items } = await request<{ items: { question_id: string }[] }>(
      'GET',
      `${path}/results?page_size=100`,
    );
    await request('DELETE', path);
    return items.map(({ question_id }) => question_id);
  };
  const development = await list({ half: 'development' });
  const heldOut = await list({ half: 'held_out' });
  expect(new Set([...development, ...heldOut]).size).toBe(40);
  expect(development.length + heldOut.length).toBe(40);
  const part = await list({ half: 'development', share: 0.6 });
  expect(part.length).toBeLessThan(development.length);
  expect(development).toEqual(expect.arrayContaining(part));
  expect(await list({ share: 1 })).toHaveLength(40);
});
