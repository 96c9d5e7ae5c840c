import { expect, it } from 'vitest';
import { checkAgainstDescription, operationAt } from '#test/support/check-answer.ts';

const id = crypto.randomUUID();

it.each([
  ['GET', '/api/v1/organizations/default', 'getDefaultOrganization'],
  ['GET', `/api/v1/organizations/${id}`, 'getOrganization'],
  ['POST', '/api/v1/beta/files/query?page_size=1', 'queryFilesV2'],
  ['GET', `/api/v1/pipelines/${id}/files/status-counts`, 'countPipelineFiles'],
  ['GET', '/health', 'getHealth'],
  ['GET', '/health/live', 'getLiveness'],
  ['GET', '/health/ready', 'getReadiness'],
  ['DELETE', '/health', undefined],
  ['GET', `/presigned/files/${id}/content`, undefined],
])('finds the operation of %s %s', async (method, path, expected) => {
  expect((await operationAt(method, path))?.operationId).toBe(expected);
});

const traceresponse = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const json = { 'content-type': 'application/json', 'x-request-id': 'trace-me-1234', traceresponse };
const error = { detail: 'no', code: 'not_found', request_id: 'trace-me-1234', retryable: false };

it.each([
  ['has a status of its own', 418, json, error, 'is not described'],
  ['has another content type', 404, { ...json, 'content-type': 'text/html' }, 'no', 'as text/html'],
  ['lacks a member', 404, json, { detail: 'no' }, 'breaks its schema'],
  ['lacks a header', 404, { 'content-type': 'application/json', traceresponse }, error, 'lacks x-request-id'],
  ['has a header too many', 404, { ...json, 'retry-after': '1' }, error, 'has retry-after'],
  ['has a body where there is none', 204, json, error, 'without a body'],
])('fails for an answer that %s', async (_, status, headers, body, told) => {
  const answer = { status, headers: new Headers(headers), body };
  await expect(checkAgainstDescription('DELETE', `/api/v1/files/${id}`, answer)).rejects.toThrow(told);
});

it('accepts an answer that matches the description', async () => {
  const answer = { status: 404, headers: new Headers(json), body: error };
  await checkAgainstDescription('DELETE', `/api/v1/files/${id}`, answer);
});
