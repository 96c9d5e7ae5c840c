import { expect } from 'vitest';
import { BASE } from './fetch-service.ts';
import {
  type ApiOperation,
  type DescribedResponse,
  describedOperations,
  MOUNTS,
  violations,
} from './openapi.ts';
import { brokenForPython, PYTHON_OPERATIONS } from './python-client.ts';

interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

interface Route {
  template: RegExp;
  operation: ApiOperation;
}

let routes: Promise<Map<string, Route[]>> | undefined;

/**
 * Returns the routes by method. Routes with fewer parameters come first, so that `/files/query` is not
 * matched by `/files/{id}`.
 */
function routesByMethod(): Promise<Map<string, Route[]>> {
  routes ??= Promise.all(MOUNTS.map((mount) => describedOperations(mount))).then((mounts) => {
    const operations = mounts.flat();
    const parameters = ({ path }: ApiOperation) => path.split('{').length;
    const sorted = operations.toSorted((one, other) => parameters(one) - parameters(other));
    const made = sorted.map((operation) => ({ operation, template: findTemplate(operation.path) }));
    return Map.groupBy(made, ({ operation }) => operation.method);
  });
  return routes;
}

const findTemplate = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/**
 * Returns the described operation of a request, or `undefined` for undescribed URLs such as presigned URLs
 * and documentation pages.
 */
export async function operationAt(method: string, path: string): Promise<ApiOperation | undefined> {
  const { pathname } = new URL(path, BASE);
  const candidates = (await routesByMethod()).get(method) ?? [];
  return candidates.find(({ template }) => template.test(pathname))?.operation;
}

/** Fails the current test if an answer does not match its description. */
export async function checkAgainstDescription(method: string, path: string, answer: Answer): Promise<void> {
  const operation = await operationAt(method, path);
  if (!operation) return;
  expectDescribed(operation, answer);
  if (operation.path.startsWith(COMPAT) && answer.status < 300) expectReadByPython(operation, answer.body);
}

const COMPAT = '/compat';

/** Removes parameter names from a path, because clients name path parameters differently. */
const nameless = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
const pythonNames = new Map(PYTHON_OPERATIONS.map((name) => [nameless(name), name] as const));

function expectReadByPython({ method, path, operationId }: ApiOperation, body: unknown): void {
  const name = pythonNames.get(nameless(`${method} ${path.slice(COMPAT.length)}`));
  const broken = name ? brokenForPython(name, body) : [];
  if (broken.length > 0)
    throw new Error(`The Python client refuses ${operationId}: ${broken.join('; ')} ${shorten(body)}`);
}

/**
 * Asserts that status, content type, body and headers of an answer match the description of the operation.
 */
export function expectDescribed(operation: ApiOperation, answer: Answer): void {
  const name = `${operation.operationId} ${answer.status}`;
  const described = operation.responses[answer.status];
  if (!described) throw new Error(`${name} is not described: ${shorten(answer.body)}`);
  expectHeaders(name, described, answer.headers);
  if (!described.content) {
    expect(answer.body, `${name} is described without a body`).toBe('');
    return;
  }
  const type = answer.headers.get('content-type')?.split(';')[0] ?? 'nothing';
  const media = described.content[type];
  if (!media) throw new Error(`${name} is not described as ${type}: ${shorten(answer.body)}`);
  if (type !== 'application/json' || !media.schema) return;
  const broken = violations(media.schema, answer.body);
  if (broken.length > 0)
    throw new Error(`${name} breaks its schema: ${broken.join('; ')} ${shorten(answer.body)}`);
}

/** Headers that must be described. Standard HTTP headers need no description. */
const TELLING = [
  'retry-after',
  'traceresponse',
  'www-authenticate',
  'x-request-id',
  'x-should-retry',
  'x-warnings',
];

function expectHeaders(name: string, { headers: described = {} }: DescribedResponse, headers: Headers): void {
  for (const header of TELLING) {
    if (headers.has(header)) expect(described, `${name} has ${header}`).toHaveProperty([header]);
    else expect(described[header]?.required ?? false, `${name} lacks ${header}`).toBe(false);
  }
}

const shorten = (body: unknown) => JSON.stringify(body)?.slice(0, 2000);
