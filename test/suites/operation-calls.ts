import { expect } from 'vitest';
import { type Answer, BASE, call } from '#test/support/client.ts';
import { type ApiOperation, violations } from '#test/support/openapi.ts';
import type { Inputs } from './operation-inputs.ts';

export interface Issue {
  loc: (string | number)[];
  msg: string;
  type: string;
}
export type Body = { detail?: string | Issue[]; code?: string } & Record<string, unknown>;

type Query = Record<string, string | string[]>;

export function pathOf(operation: ApiOperation, inputs: Inputs, query: Query = inputs.query ?? {}): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = inputs.params?.[name];
    if (value === undefined) throw new Error(`${operation.operationId} needs the parameter ${name}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value])),
  );
  return search.size > 0 ? `${path}?${search}` : path;
}

/** Sends inputs as the operation wants them; `key` null is nobody. */
export async function send(
  operation: ApiOperation,
  inputs: Inputs,
  key: string | null,
  query?: Query,
  extraHeaders: Record<string, string> = {},
): Promise<Answer<Body>> {
  const path = pathOf(operation, inputs, query);
  if (!inputs.form) {
    const body = 'body' in inputs && { body: inputs.body };
    return call(operation.method, path, { key, headers: extraHeaders, ...body });
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(inputs.form)) form.append(name, value as string);
  const request = new Request(BASE, { method: 'POST', body: form });
  const headers = { ...extraHeaders, 'content-type': request.headers.get('content-type')! };
  return call(operation.method, path, { key, headers, raw: await request.arrayBuffer() });
}

/** Every answer that is no success has the body that the description gives for it. */
export function expectError(operation: ApiOperation, answer: Answer<Body>, status?: number): void {
  const { body } = answer;
  if (status !== undefined) expect(answer.status, JSON.stringify(body)).toBe(status);
  const described = operation.responses[answer.status];
  expect(described, `${answer.status} is not described: ${JSON.stringify(body)}`).toBeDefined();
  const schema = described?.content?.['application/json']?.schema;
  expect(schema, `${answer.status} is described without its body`).toBeDefined();
  expect(violations(schema!, body), JSON.stringify(body)).toEqual([]);
  expect(body).toMatchObject({ code: expect.any(String), request_id: answer.headers.get('x-request-id') });
}

export function expectSuccess(operation: ApiOperation, answer: Answer<Body>): void {
  const described = operation.responses[answer.status];
  const shown = JSON.stringify(answer.body).slice(0, 2000);
  expect(answer.status, shown).toBeLessThan(300);
  expect(described, `${answer.status} is not described: ${shown}`).toBeDefined();
  if (!described?.content) {
    expect(answer.body).toBe('');
    return;
  }
  const type = answer.headers.get('content-type')?.split(';')[0] ?? 'nothing';
  expect(Object.keys(described.content)).toContain(type);
  const schema = described.content[type]?.schema;
  if (type === 'application/json' && schema) expect(violations(schema, answer.body), shown).toEqual([]);
}
