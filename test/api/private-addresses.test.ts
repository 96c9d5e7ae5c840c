import { describe, expect, it } from 'vitest';
import { BASE, call, upload } from '#test/support/client.ts';
import { startWith } from '#test/support/configured.ts';
import { INVOICE, INVOICE_SCHEMA, RULES } from '#test/support/jobs.ts';
import { createPipeline } from '#test/support/pipelines.ts';

const CONFIGS = '/api/v1/beta/webhook-configs';
const PRIVATE = [
  'http://127.0.0.1/',
  'http://10.1.1.1:9/hook',
  'http://169.254.169.254/latest/meta-data',
  'http://localhost:8787/',
  'http://LOCALHOST./',
  'http://[::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://2130706433/',
  'http://0x7f.1/',
  'https://database.internal/',
  'https://user:password@192.168.0.1/',
];
const [inside] = PRIVATE;

interface Refused {
  detail: { loc: (string | number)[]; type: string; msg: string }[];
}

/** Checks for a 422 with exactly one issue, for this field. */
function expectRefused({ status, body }: { status: number; body: unknown }, loc: (string | number)[]): void {
  expect([status, body]).toMatchObject([422, {}]);
  const { detail } = body as Refused;
  expect(detail.map((issue) => [issue.type, issue.loc])).toEqual([['private_address', loc]]);
  expect(detail[0]!.msg).toContain('not public');
}

const name = () => `inside ${crypto.randomUUID()}`;
const hooks = [{ webhook_url: 'https://hooks.example/' }, { webhook_url: inside }];
const hookLoc = ['webhook_configurations', 1, 'webhook_url'];
const file = () => upload('invoice.md', INVOICE);

/** Every field in which a caller stores an address that the service calls later. */
const PLACES: [string, string, string, (string | number)[], () => object | Promise<object>][] = [
  ['a webhook configuration', 'POST', CONFIGS, ['webhook_url'], () => ({ webhook_url: inside })],
  [
    'an extract job',
    'POST',
    '/api/v2/extract',
    hookLoc,
    async () => ({
      file_input: await file(),
      configuration: { data_schema: INVOICE_SCHEMA },
      webhook_configurations: hooks,
    }),
  ],
  [
    'a classify job',
    'POST',
    '/api/v2/classify',
    hookLoc,
    async () => ({
      file_input: await file(),
      configuration: { rules: RULES },
      webhook_configurations: hooks,
    }),
  ],
  [
    'a parse job',
    'POST',
    '/api/v2/parse',
    hookLoc,
    async () => ({ file_id: await file(), webhook_configurations: hooks }),
  ],
  ...(
    [
      ['webhook_url', inside, ['webhook_url']],
      ['webhook_configurations', hooks, hookLoc],
      ['hostedllm_endpoint', inside, ['hostedllm_endpoint']],
    ] as const
  ).flatMap(([member, value, loc]): typeof PLACES => [
    [
      `${member} of a parse job's parameters`,
      'POST',
      '/api/v2/parse',
      ['configuration', ...loc],
      async () => ({ file_id: await file(), configuration: { [member]: value } }),
    ],
    [
      `${member} of a pipeline`,
      'POST',
      '/api/v1/pipelines',
      ['parse_parameters', ...loc],
      () => ({ name: name(), parse_parameters: { [member]: value } }),
    ],
    [
      `${member} of a saved configuration`,
      'POST',
      '/api/v1/beta/configurations',
      ['parameters', ...loc],
      () => ({ name: name(), parameters: { product_type: 'parse_v2', [member]: value } }),
    ],
  ]),
  ...(
    [
      ['VENDOR_G', { url: inside, api_key: 'k', collection_name: 'c' }, 'url'],
      ['VENDOR_H', { url: inside, index_name: 'i' }, 'url'],
      ['VENDOR_C', { uri: inside }, 'uri'],
      [
        'VENDOR_D',
        { db_uri: 'mongodb+srv://u:p@db.example,10.0.0.1:27017/x', db_name: 'd', collection_name: 'c' },
        'db_uri',
      ],
      ['VENDOR_C', { url: 'https://free.form/', proxies: [inside] }, 'proxies'],
    ] as const
  ).map(([sink_type, component, field]): (typeof PLACES)[number] => [
    `${field} of the data sink ${sink_type}`,
    'POST',
    '/api/v1/data-sinks',
    ['component', field, ...(field === 'proxies' ? [0] : [])],
    () => ({ name: name(), sink_type, component }),
  ]),
  [
    'a data source',
    'POST',
    '/api/v1/data-sources',
    ['component', 'bucket_endpoint_url'],
    () => ({
      name: name(),
      source_type: 'SOURCE_9_BUCKET',
      component: { bucket: 'b', bucket_endpoint_url: inside },
    }),
  ],
  [
    'an embedding model',
    'POST',
    '/api/v1/embedding-model-configs',
    ['embedding_config', 'component', 'api_base'],
    () => ({
      name: name(),
      embedding_config: { type: 'PROVIDER_G_EMBEDDING', component: { api_base: inside, model_name: 'm' } },
    }),
  ],
];

describe('a private address', () => {
  it.each(PRIVATE)('is rejected in a webhook configuration: %s', async (webhook_url) => {
    expectRefused(await call('POST', CONFIGS, { body: { webhook_url } }), ['body', 'webhook_url']);
  });

  it.each(PLACES)('is rejected wherever it would be stored: %s', async (_, method, path, loc, body) => {
    expectRefused(await call(method, path, { body: await body() }), ['body', ...loc]);
  });

  it('is rejected in updates of webhook configurations and pipelines', async () => {
    const made = await call<{ id: string }>('POST', CONFIGS, {
      body: { webhook_url: 'https://hooks.example/' },
    });
    const changed = await call('PUT', `${CONFIGS}/${made.body.id}`, { body: { webhook_url: inside } });
    expectRefused(changed, ['body', 'webhook_url']);
    const pipeline = `/api/v1/pipelines/${await createPipeline()}`;
    const parse_parameters = { webhook_url: inside };
    const updated = await call('PUT', pipeline, { body: { parse_parameters } });
    expectRefused(updated, ['body', 'parse_parameters', 'webhook_url']);
  });

  it('is accepted if the installation allows private addresses', async () => {
    const request = new Request(`${BASE}${CONFIGS}`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer slc_bootstrap_key_of_the_tests_000',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ webhook_url: inside }),
    });
    expect((await startWith({ ALLOW_PRIVATE_ADDRESSES: 'true' })(request)).status).toBe(201);
  });

  it('is accepted in a text that is not an address', async () => {
    const parse_parameters = { user_prompt: `Leave out ${inside}`, page_separator: inside };
    const made = await call('POST', '/api/v1/pipelines', { body: { name: name(), parse_parameters } });
    expect(made.status).toBe(200);
  });
});
