import LlamaCloud from '@llamaindex/llama-cloud';
import FirstLlamaCloud from 'llama-cloud-1';
import { describe, expect, it } from 'vitest';
import python from '#test/fixtures/python-client-routes.json';
import { type ClientRoute, listClientRoutes } from '#test/support/client-routes.ts';
import { describedOperations } from '#test/support/openapi.ts';

const options = { apiKey: 'slc_any', baseURL: 'http://service.invalid', maxRetries: 0 };
const clients: [name: string, methods: number, list: () => Promise<ClientRoute[]>][] = [
  ['npm client 2.16', 147, () => listClientRoutes((fetch) => new LlamaCloud({ ...options, fetch }))],
  ['npm client 1.6', 133, () => listClientRoutes((fetch) => new FirstLlamaCloud({ ...options, fetch }))],
  ['Python client 2.4', 114, async () => python.routes.map((route) => ({ method: route, route }))],
];

const nameless = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
const served = new Set(
  (await describedOperations('/compat')).map(
    ({ method, path }) => `${method} ${nameless(path.slice('/compat'.length))}`,
  ),
);

describe.each(clients)('%s', (_, methods, list) => {
  it('calls only routes that the service has', async () => {
    const called = await list();
    expect(called).toHaveLength(methods);
    expect(called.filter(({ route }) => !served.has(route))).toEqual([]);
  });
});
