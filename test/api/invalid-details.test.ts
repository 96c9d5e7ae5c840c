import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { compatDialect } from '#src/api/compat/dialect.ts';
import type { ApiEnv } from '#src/api/http/middleware.ts';
import { errorResponse } from '#src/api/http/respond.ts';
import type { WireDialect } from '#src/api/http/wire-dialect.ts';
import { ParseError } from '#src/documents/errors.ts';
import { DomainError, type ErrorCode, Invalid } from '#src/lib/errors.ts';
import { PatternError } from '#src/lib/text/pattern.ts';
import { PageFailure } from '#src/reading/read-page.ts';
import { call, upload } from '#test/support/client.ts';

interface Refusal {
  code: ErrorCode;
  detail: unknown;
}

async function answer(error: DomainError, dialect?: WireDialect): Promise<{ status: number; body: Refusal }> {
  const app = new Hono<ApiEnv>();
  app.get('/', (c) => {
    if (dialect) c.set('dialect', dialect);
    throw error;
  });
  app.onError((thrown, c) => errorResponse(c, thrown));
  const response = await app.request('/');
  return { status: response.status, body: await response.json() };
}

/** One error of every class with the code `invalid`. */
const INVALID = [
  Invalid.field(['name'], 'Field required', 'missing'),
  new ParseError('PDF_IS_BROKEN', 'the file is damaged'),
  new PageFailure('The model cannot read the page.'),
  new PatternError('is too large'),
  new DomainError('invalid', 'llm_refusal: The model refused to answer.'),
];

it.each(INVALID)('answers %s with a list of issues, as the API description declares', async (error) => {
  const [issue] =
    error instanceof Invalid ? error.issues : [{ loc: ['body'], msg: error.message, type: 'value_error' }];
  for (const dialect of [undefined, compatDialect]) {
    const { status, body } = await answer(error, dialect);
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'invalid', detail: [issue] });
  }
});

it('answers every other error with a text', async () => {
  for (const dialect of [undefined, compatDialect]) {
    const { body } = await answer(new DomainError('conflict', 'Somebody else was faster.'), dialect);
    expect(body.detail).toBe('Somebody else was faster.');
  }
});

it('reports why no schema can be generated from a damaged file', async () => {
  const file_id = await upload('broken.pdf', '%PDF-1.4 nothing');
  const made = await call<Refusal>('POST', '/api/v2/extract/schema/generate', { body: { file_id } });
  const msg = expect.stringContaining('PDF_IS_BROKEN');
  expect(made).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body'], msg, type: 'value_error' }] },
  });
});
