import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { createObjects } from '#src/work/objects.ts';
import { call } from '#test/support/client.ts';
import { createQuestionSet } from '#test/support/evaluations.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

const SWEEPS = '/api/v1/evaluations/sweeps';
const WORDS = [
  ...['anchor', 'buoy', 'capstan', 'davit', 'fender', 'galley', 'hawser', 'jetty', 'keel', 'lantern'],
  ...['mast', 'net', 'oar', 'pier', 'quay', 'rudder', 'sail', 'tiller', 'windlass', 'yawl'],
];

interface Sweep {
  id: string;
  status: string;
  error_message: string | null;
  phase: string;
  evaluated_count: number;
  candidate_count: number;
  rounds: { question_count: number; settings: { name: string; value: number }[] }[];
  result: {
    name: string;
    is_current: boolean;
    chunk_size: number | null;
    retrieval_parameters: object;
    comparison: { verdict: string; summary: string; compared_count: number; difference: number } | null;
  } | null;
}

let pipeline: string;
let set: string;
const name = `swept ${crypto.randomUUID()}`;

async function start(body: object): Promise<Sweep> {
  const created = await call<Sweep>('POST', SWEEPS, {
    body: { question_set_id: set, pipeline_id: pipeline, ...body },
  });
  if (created.status !== 200) throw new Error(`sweep: ${created.status} ${JSON.stringify(created.body)}`);
  return created.body;
}

async function until(id: string, isReached: (sweep: Sweep) => boolean): Promise<Sweep> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const { body } = await call<Sweep>('GET', `${SWEEPS}/${id}`);
    if (isReached(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`sweep ${id} did not get there`);
}
const hasEnded = ({ status }: Sweep) => status !== 'PENDING' && status !== 'RUNNING';

const countPipelines = async () =>
  (await call<{ total_size: number }>('GET', '/api/v2/pipelines?page_size=1')).body.total_size;

beforeAll(async () => {
  // No chunk is so similar to a question, so the dense search of the preset finds nothing.
  const preset = { alpha: 1, dense_similarity_cutoff: 1, enable_reranking: false };
  pipeline = await createPipeline({ name, preset_retrieval_parameters: preset });
  const files = Object.fromEntries(WORDS.map((word) => [`${word}.md`, `The ${word} was painted in spring.`]));
  await addFiles(pipeline, files);
  await sync(pipeline);
  set = await createQuestionSet(
    WORDS.map((word) => ({
      text: `When was the ${word} painted?`,
      expected_passages: [{ text: `the ${word} was painted` }],
    })),
  );
}, PATIENCE_MS);

it('finds better settings with one half of the questions and compares them on the other', async () => {
  const { id } = await start({ alphas: [1, 0], reranking: [false], budget: 500 });
  const sweep = await until(id, hasEnded);
  expect(sweep).toMatchObject({
    status: 'COMPLETED',
    phase: 'held_out',
    candidate_count: 3,
    result: {
      name: 'alpha 0, reranking off',
      is_current: false,
      retrieval_parameters: { alpha: 0, enable_reranking: false },
      chunk_size: null,
      comparison: { verdict: 'better', difference: 1 },
    },
  });
  expect(sweep.result!.comparison!.summary).toMatch(
    /^“alpha 0, reranking off” is better than the current settings by 1\.000/,
  );
  const { compared_count } = sweep.result!.comparison!;
  // The two halves complete each other: no question both chose the settings and measured them.
  expect(compared_count + sweep.rounds.at(-1)!.question_count).toBe(WORDS.length);
  expect(sweep.rounds[0]!.settings[0]).toMatchObject({ name: 'alpha 0, reranking off', value: 1 });
  expect(sweep.evaluated_count).toBeLessThanOrEqual(500);
  const listed = await call<{ items: Sweep[] }>('GET', `${SWEEPS}?question_set_id=${set}`);
  expect(listed.body.items.map((each) => each.id)).toContain(id);
});

it('continues after an interruption without searching again', async () => {
  const { id } = await start({ alphas: [0], reranking: [false] });
  const ended = await until(id, hasEnded);
  const execute = (sql: string) => env.DB.prepare(sql).bind(id).run();
  await execute(
    "update sweep_results set status = 'pending', metrics = null where run_id = ? and item_id = (select max(item_id) from sweep_results where is_held_out = 1 and run_id = ?1)",
  );
  await execute(
    "update evaluation_sweeps set status = 'RUNNING', consumer = 'ended', lease_until = 1, result = null where id = ?",
  );
  const { project_id } = (await call<{ project_id: string }>('GET', `${SWEEPS}/${id}`)).body;
  await createObjects(env).jobIntake(project_id).advanceEvaluation(id);
  const again = await until(id, hasEnded);
  expect(again).toMatchObject({ status: 'COMPLETED', result: ended.result });
  const attempts = await env.DB.prepare('select sum(attempts) as sum from sweep_results where run_id = ?')
    .bind(id)
    .first<{ sum: number }>();
  expect(attempts!.sum).toBe(ended.evaluated_count + 1);
});

it('keeps the current settings if nothing is better', async () => {
  const { id } = await start({ alphas: [1], reranking: [false] });
  const sweep = await until(id, hasEnded);
  expect(sweep.result).toMatchObject({ is_current: true, comparison: null, retrieval_parameters: {} });
  expect(sweep.phase).toBe('development');
});

it('indexes other chunks in a copy that nobody sees and that is gone at the end', async () => {
  const before = await countPipelines();
  const { id } = await start({ alphas: [0], reranking: [false], chunk_sizes: [64] });
  const sweep = await until(id, (each) => {
    if (each.phase !== 'indexing') return true;
    return hasEnded(each);
  });
  expect(await countPipelines()).toBe(before);
  const found = await call<unknown[]>('GET', `/api/v1/pipelines?pipeline_name=${encodeURIComponent(name)}`);
  expect(found.body).toHaveLength(1);
  const ended = hasEnded(sweep) ? sweep : await until(id, hasEnded);
  expect(ended.error_message).toBeNull();
  const names = ended.rounds[0]!.settings.map((each) => each.name);
  expect(names.toSorted()).toEqual([
    'alpha 0, reranking off',
    'alpha 0, reranking off, chunk size 64',
    'current settings',
  ]);
  const copied = ended.rounds[0]!.settings.find((each) => each.name.includes('chunk size'));
  expect(copied!.value).toBe(1);
  await untilNoCopies(id);
});

it('is cancelled and deleted with its copies, and twice is no error', async () => {
  const { id } = await start({ alphas: [0], reranking: [false], chunk_sizes: [48, 96] });
  await until(id, (each) => each.status === 'RUNNING');
  const cancelled = await call<Sweep>('POST', `${SWEEPS}/${id}/cancel`);
  expect(cancelled.body.status).toBe('CANCELLED');
  await untilNoCopies(id);
  expect((await call<Sweep>('POST', `${SWEEPS}/${id}/cancel`)).body.status).toBe('CANCELLED');
  expect((await call('DELETE', `${SWEEPS}/${id}`)).status).toBe(204);
  expect((await call('GET', `${SWEEPS}/${id}`)).status).toBe(404);
});

it('refuses too many settings, a budget that is too small and sets with too few questions', async () => {
  const refuse = async (body: object) => {
    const given = { question_set_id: set, pipeline_id: pipeline, ...body };
    const { status, body: answer } = await call('POST', SWEEPS, { body: given });
    return { status, text: JSON.stringify(answer) };
  };
  const tooMany = { alphas: [0, 0.1, 0.2, 0.3, 0.4, 0.5], top_ks: [10, 20, 30], chunk_sizes: [64, 128, 256] };
  expect(await refuse(tooMany)).toMatchObject({ status: 422, text: expect.stringContaining('100') });
  const poor = await refuse({ budget: 5 });
  expect(poor).toMatchObject({ status: 422, text: expect.stringContaining('budget') });
  const least = Number(/must be at least (\d+)/.exec(poor.text)?.[1]);
  expect((await refuse({ budget: least - 1 })).status).toBe(422);
  const few = await createQuestionSet([{ text: 'Why?', expected_passages: [{ text: 'x' }] }]);
  expect(await refuse({ question_set_id: few })).toMatchObject({ status: 409 });
});

async function untilNoCopies(id: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const row = await env.DB.prepare('select count(*) as copies from pipelines where sweep_id = ?')
      .bind(id)
      .first<{ copies: number }>();
    if (row!.copies === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`sweep ${id} left copies`);
}
