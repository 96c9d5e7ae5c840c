import { expect } from 'vitest';
import { type Answer, BASE, call } from '#test/support/client.ts';
import { type ApiOperation, tellsAsOpenAi } from '#test/support/openapi.ts';
import type { Inputs } from './operation-inputs.ts';

export interface Issue {
  loc: (string | number)[];
  msg: string;
  type: string;
}
export type Body = { detail?: string | Issue[]; code?: string; error?: OpenAiError } & Record<
  string,
  unknown
>;

interface OpenAiError {
  message: string;
  param: string | null;
  code: string;
}

type Query = Record<string, string | string[]>;

export function buildPath(
  operation: ApiOperation,
  inputs: Inputs,
  query: Query = inputs.query ?? {},
): string {
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

/** Returns a function that makes inputs when it is called first, and then always returns these inputs. */
export function makeOnce(make: () => Inputs | Promise<Inputs>): () => Promise<Inputs> {
  let made: Promise<Inputs> | undefined;
  return () => {
    made ??= Promise.resolve(make());
    return made;
  };
}

/** Sends the inputs of an operation. With the key `null`, the request has no credentials. */
export async function send(
  operation: ApiOperation,
  inputs: Inputs,
  key: string | null,
  query?: Query,
  extraHeaders: Record<string, string> = {},
): Promise<Answer<Body>> {
  const path = buildPath(operation, inputs, query);
  if (inputs.bytes !== undefined) {
    const headers = { ...extraHeaders, 'content-type': 'application/octet-stream' };
    return call(operation.method, path, { key, headers, raw: new TextEncoder().encode(inputs.bytes) });
  }
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

/** Checks that an answer is an error. `call` has compared it with the description. */
export function expectError(operation: ApiOperation, answer: Answer<Body>, status?: number): void {
  const { body } = answer;
  const shown = JSON.stringify(body);
  if (status !== undefined) expect(answer.status, shown).toBe(status);
  expect(answer.status, shown).toBeGreaterThanOrEqual(400);
  expect(answer.headers.get('x-request-id')).toEqual(expect.any(String));
  if (tellsAsOpenAi(operation)) expect(body).toMatchObject({ error: { code: expect.any(String) } });
  else
    expect(body).toMatchObject({ code: expect.any(String), request_id: answer.headers.get('x-request-id') });
}

/** Returns the status for an invalid input. */
export const statusOfInvalid = (operation: ApiOperation) => (tellsAsOpenAi(operation) ? 400 : 422);

/**
 * Returns the issues of an invalid input. The OpenAI format has all locations in its message, but only the
 * type of the first issue.
 */
export function getIssues(operation: ApiOperation, { status, body }: Answer<Body>): Issue[] {
  if (status !== statusOfInvalid(operation)) return [];
  if (!tellsAsOpenAi(operation)) return body.detail as Issue[];
  const { message, code } = body.error!;
  return message.split('; ').map((told, index) => {
    const [place = '', ...rest] = told.split(': ');
    const path = place.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    // A member of a body may have the name of a part, too, but then no name follows.
    const isPart = (path[0] === 'query' || path[0] === 'path') && typeof path[1] === 'string';
    const loc = isPart ? path : ['body', ...path];
    return { loc, msg: rest.join(': '), type: index === 0 ? code : 'value_error' };
  });
}

/** Checks that an answer is a success. `call` has compared it with the description. */
export function expectSuccess(answer: Answer<Body>): void {
  expect(answer.status, JSON.stringify(answer.body).slice(0, 2000)).toBeLessThan(300);
}
