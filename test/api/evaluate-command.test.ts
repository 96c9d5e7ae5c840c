import { expect, it } from 'vitest';
import { evaluate, findMissedBounds, formatTable } from '#scripts/evaluate/evaluate.ts';
import type { Options } from '#scripts/evaluate/options.ts';
import { call } from '#test/support/client.ts';
import { createQuestionSet, type QuestionSetBody, SETS } from '#test/support/evaluations.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

async function request<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await call<Answer>(method, path, { ...(body && { body }) });
  if (answer.status >= 300) throw new Error(`${answer.status}`);
  return answer.body;
}

const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 50));

it('finds set and pipeline by name, waits for the run, and reports missed bounds', async () => {
  const name = `evaluated ${crypto.randomUUID()}`;
  const pipeline = await createPipeline({ name });
  const [file] = await addFiles(pipeline, { 'tides.md': 'The tide is highest at noon.' });
  expect((await sync(pipeline)).status).toBe('SUCCESS');
  const set = await createQuestionSet([
    { text: 'When is the tide highest?', expected_documents: [{ document_id: file }] },
  ]);
  const { name: setName } = (await call<QuestionSetBody>('GET', `${SETS}/${set}`)).body;
  const options: Options = {
    set: setName,
    target: { kind: 'pipeline', name },
    bounds: [
      { metric: 'recall@5', kind: 'at least', value: 0.85 },
      { metric: 'said', kind: 'at least', value: 1 },
    ],
    parameters: {},
    answer: false,
    project: undefined,
    timeoutMs: 60_000,
  };
  const reported: string[] = [];
  const run = await evaluate(options, request, ({ status }) => reported.push(status), wait);
  expect(reported.at(-1)).toBe('COMPLETED');
  // No question was answered, so that the bound of `said` is missed too.
  const missed = findMissedBounds(run, options.bounds).map(({ metric }) => metric);
  expect(missed).toEqual(['said']);
  const table = formatTable(run, options.bounds);
  expect(table).toContainEqual(expect.stringMatching(/^recall@5 +1\.0000 {2}at least 0\.85: ok$/));
  expect(table).toContainEqual(expect.stringMatching(/^said +– {2}at least 1: MISSED$/));
  const unknown = { ...options, set: 'no such set' };
  await expect(evaluate(unknown, request, () => {}, wait)).rejects.toThrow(
    "no question set named 'no such set'",
  );
});
