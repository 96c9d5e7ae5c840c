import { expect, it } from 'vitest';
import { RENAMED_FIELDS } from '#src/vocabulary/fields.ts';
import { COMPONENT_FIELDS } from '#src/vocabulary/kinds.ts';
import { CLIENT_WORDS } from '#src/vocabulary/words.ts';
import { call } from '#test/support/client.ts';

it('contains only names that clients know', async () => {
  const { body } = await call<Record<string, unknown>>('GET', '/compat/openapi.json');
  const neutral = [
    ...Object.keys(CLIENT_WORDS),
    ...RENAMED_FIELDS.map(({ neutral }) => neutral),
    ...Object.values(COMPONENT_FIELDS).flatMap((names) => Object.keys(names)),
  ];
  const text = JSON.stringify(body);
  expect(neutral.filter((word) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(text))).toEqual([]);
  for (const word of ['mongodb_uri', 'llama_parse_parameters', 'AZURE_OPENAI_GPT_4O'])
    expect(text).toContain(`"${word}"`);
});

it.each([
  ['GET', '/api/v1/reports/list'],
  ['POST', '/api/v1/reports'],
  ['GET', '/api/v1/beta/batches'],
])('%s %s is not supported and answers 404 in JSON', async (method, path) => {
  const answer = await call(method, `/compat${path}`, method === 'POST' ? { body: {} } : {});
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ code: 'not_found', retryable: false });
});
