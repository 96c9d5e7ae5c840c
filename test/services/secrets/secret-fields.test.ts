import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { extractConfiguration } from '#src/extraction/configuration.ts';
import { freeFormComponent } from '#src/lib/schema/component.ts';
import { embeddingComponents } from '#src/models/embedding/registry.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { createKeyRing } from '#src/services/secrets/key-ring.ts';
import {
  MASK,
  maskSecrets,
  openSecrets,
  resealSecrets,
  restoreSecrets,
  sealSecrets,
} from '#src/services/secrets/secret-fields.ts';
import { sinkComponents } from '#src/sinks/registry.ts';
import { sourceComponents } from '#src/sources/registry.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { runs } from '#test/support/seed.ts';

const key = (fill: number) => new Uint8Array(32).fill(fill);
const ring = createKeyRing({ id: 'k1', key: key(1) });
const PLANTED = 'Pl4nted-S3cret';

const inUrl = `https://user:${PLANTED}@h.example/a`;

/** Values with PLANTED in every secret, and their masked form. */
const values: [what: string, schema: z.ZodType, value: unknown, seen: unknown][] = [
  [
    'a sink',
    sinkComponents.VENDOR_G,
    { api_key: PLANTED, url: inUrl, client_kwargs: { headers: { 'api-key': PLANTED }, timeout: 3 } },
    {
      api_key: MASK,
      url: `https://${MASK}@h.example/a`,
      client_kwargs: { headers: { 'api-key': MASK }, timeout: 3 },
    },
  ],
  [
    'a document database',
    sinkComponents.VENDOR_D,
    { db_uri: inUrl, db_name: 'd' },
    { db_uri: MASK, db_name: 'd' },
  ],
  [
    'a source with a key file',
    sourceComponents.SOURCE_4_DRIVE,
    { folder_id: 'f', service_account_key: { private_key: PLANTED, project_id: PLANTED } },
    { folder_id: 'f', service_account_key: { private_key: MASK, project_id: MASK } },
  ],
  [
    'a source with a signed address',
    sourceComponents.SOURCE_1_BLOB,
    { account_url: `https://h.example/?sv=1&sig=${PLANTED}`, account_key: null },
    { account_url: `https://h.example/?sv=1&sig=${MASK}`, account_key: null },
  ],
  [
    'an embedding model',
    embeddingComponents.PROVIDER_E_EMBEDDING,
    { token: PLANTED, headers: { Any: PLANTED }, cookies: { session: PLANTED }, model_name: 'm' },
    { token: MASK, headers: { Any: MASK }, cookies: { session: MASK }, model_name: 'm' },
  ],
  [
    'a token that is switched off',
    embeddingComponents.PROVIDER_E_EMBEDDING,
    { token: false },
    { token: false },
  ],
  [
    'keyword arguments',
    embeddingComponents.PROVIDER_G_EMBEDDING,
    { additional_kwargs: { user: 'u', max_tokens: 5, auth: { a: [PLANTED, 4711] } } },
    { additional_kwargs: { user: 'u', max_tokens: 5, auth: { a: [MASK, MASK] } } },
  ],
  [
    'headers that each service names as it likes',
    sinkComponents.VENDOR_G,
    {
      url: 'https://h.example',
      client_kwargs: { headers: { 'X-Api': PLANTED, Accept: 'a' }, pass: PLANTED },
    },
    { url: 'https://h.example', client_kwargs: { headers: { 'X-Api': MASK, Accept: MASK }, pass: MASK } },
  ],
  [
    'an address with blanks before it',
    sinkComponents.VENDOR_C,
    { uri: ` https://u:${PLANTED}@h` },
    { uri: ` https://${MASK}@h` },
  ],
  [
    'an address without its scheme',
    sinkComponents.VENDOR_C,
    { uri: `u:${PLANTED}@host:19530` },
    { uri: `${MASK}@host:19530` },
  ],
  [
    'parse parameters',
    parseParameters,
    {
      ...{
        hostedllm_key: PLANTED,
        http_proxy: inUrl,
        page_separator: MASK,
        target_pages: '1-3',
        disable_ocr: true,
      },
      webhook_configurations: [{ webhook_signing_secret: PLANTED, webhook_events: ['parse.success'] }],
    },
    {
      ...{ hostedllm_key: MASK, http_proxy: `https://${MASK}@h.example/a`, page_separator: MASK },
      ...{ target_pages: '1-3', disable_ocr: true },
      webhook_configurations: [{ webhook_signing_secret: MASK, webhook_events: ['parse.success'] }],
    },
  ],
  [
    'webhook configurations',
    webhookConfigurations.nullish(),
    [{ webhook_url: inUrl, webhook_headers: { Authorization: PLANTED, 'X-Env': PLANTED } }],
    [{ webhook_url: `https://${MASK}@h.example/a`, webhook_headers: { Authorization: MASK, 'X-Env': MASK } }],
  ],
  [
    'a free-form component',
    freeFormComponent,
    {
      name: 'n',
      Password: PLANTED,
      uri: inUrl,
      list: [{ apiKey: PLANTED }],
      header: `Bearer ${PLANTED}`,
      pin: 5,
      user_pass: PLANTED,
      creds: { any: PLANTED },
      hosts: [`u:${PLANTED}@h:1`, 'h:2'],
    },
    {
      name: 'n',
      Password: MASK,
      uri: `https://${MASK}@h.example/a`,
      list: [{ apiKey: MASK }],
      header: MASK,
      pin: 5,
      user_pass: MASK,
      creds: { any: MASK },
      hosts: [`${MASK}@h:1`, 'h:2'],
    },
  ],
  [
    'a union by kind',
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('C'), component: sinkComponents.VENDOR_C }),
      z.object({ kind: z.literal('F'), component: sinkComponents.VENDOR_F.partial() }),
    ]),
    { kind: 'F', component: { user: 'u', password: PLANTED } },
    { kind: 'F', component: { user: 'u', password: MASK } },
  ],
  [
    'a schema of fields, which may be named like secrets',
    extractConfiguration,
    {
      data_schema: {
        type: 'object',
        properties: { signature: { type: 'string' }, pass: { type: 'boolean' } },
      },
    },
    {
      data_schema: {
        type: 'object',
        properties: { signature: { type: 'string' }, pass: { type: 'boolean' } },
      },
    },
  ],
  ['what looks sealed', sinkComponents.VENDOR_C, { uri: 'sealed:v1:k1:x' }, { uri: 'sealed:v1:k1:x' }],
  ['nothing', freeFormComponent.nullish(), null, null],
];

describe.each(values)('%s', (_, schema, value, seen) => {
  it('is the same after sealing and opening, and holds no secret while sealed', async () => {
    const sealed = await sealSecrets(schema, value, ring, 'row/1');
    expect(JSON.stringify(sealed)).not.toContain(PLANTED);
    expect(await openSecrets(sealed, ring, 'row/1')).toEqual(value);
  });

  it('is masked', () => expect(maskSecrets(schema, value)).toEqual(seen));

  it('is stored unchanged when its mask is sent back', () => {
    expect(restoreSecrets(schema, seen, value)).toEqual(value);
  });
});

it('masks sealed values like open values', async () => {
  for (const [what, schema, value, seen] of values) {
    if (what === 'what looks sealed') continue;
    const sealed = await sealSecrets(schema, value, ring, 'row/1');
    expect(maskSecrets(schema, sealed), what).toEqual(seen);
  }
});

it('opens a secret only in its own row and field', async () => {
  const sealed = await sealSecrets(sinkComponents.VENDOR_B_SEARCH, { client_secret: PLANTED }, ring, 'row/1');
  await expect(openSecrets(sealed, ring, 'row/2')).rejects.toThrow('belongs to another place');
  const moved = { search_service_api_key: sealed.client_secret };
  await expect(openSecrets(moved, ring, 'row/1')).rejects.toThrow('belongs to another place');
});

it('reseals secrets with the current key, once', async () => {
  const rotated = createKeyRing({ id: 'k2', key: key(2) }, [{ id: 'k1', key: key(1) }]);
  const value = { api_key: PLANTED, url: inUrl };
  const sealed = await sealSecrets(sinkComponents.VENDOR_G, value, ring, 'row');
  const resealed = await resealSecrets(sealed, rotated, 'row');
  expect(JSON.stringify(resealed)).not.toContain(':k1:');
  const alone = createKeyRing({ id: 'k2', key: key(2) });
  expect(await openSecrets(resealed, alone, 'row')).toEqual(value);
  expect(await resealSecrets(resealed, rotated, 'row')).toBeUndefined();
});

describe('any value', () => {
  const secretText = fc.string({ minLength: 1, maxLength: 12 }).map((text) => `${PLANTED}${text}`);
  const secretName = fc.constantFrom(
    'password',
    'api_key',
    'clientSecret',
    'X-Auth-Token',
    'private_key',
    'dsn',
    'user_pass',
    'headers',
  );
  const plain = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string({ maxLength: 10 }));
  const url = fc
    .string({ minLength: 1, maxLength: 9 })
    .map((text) => `db://u:${PLANTED}${encodeURIComponent(text)}@h/x`);
  const address = fc
    .tuple(fc.constantFrom('', ' ', 'jdbc:db://'), fc.string({ maxLength: 9 }))
    .map(([start, text]) => `${start}u:${PLANTED}${encodeURIComponent(text)}@h:1/x`);
  const { value: arbitrary } = fc.letrec<{ value: unknown; object: object; secrets: unknown }>((tie) => ({
    secrets: fc.oneof(
      { maxDepth: 3 },
      secretText,
      fc.array(tie('secrets'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('secrets'), { maxKeys: 3 }),
    ),
    object: fc
      .tuple(
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
        fc.dictionary(secretName, tie('secrets'), { maxKeys: 2 }),
        fc.dictionary(fc.constantFrom('uri', 'proxies'), fc.oneof(address, fc.array(address)), {
          maxKeys: 1,
        }),
        fc.dictionary(fc.constantFrom('url', 'host'), fc.string(), { maxKeys: 1 }),
      )
      .map((parts) => Object.assign({}, ...parts)),
    value: fc.oneof({ maxDepth: 4 }, plain, url, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  }));
  const component = fc.dictionary(fc.string(), arbitrary, { maxKeys: 4 });
  const schemas = fc.constantFrom<z.ZodType>(
    freeFormComponent,
    ...Object.values(sinkComponents),
    parseParameters,
  );

  it('leaks no secret when masked or sealed, and can be restored from both', async () => {
    await fc.assert(
      fc.asyncProperty(schemas, component, async (schema, value) => {
        const masked = maskSecrets(schema, value);
        expect(JSON.stringify(masked)).not.toContain(PLANTED);
        expect(maskSecrets(schema, masked)).toEqual(masked);
        expect(restoreSecrets(schema, masked, value)).toEqual(value);
        const sealed = await sealSecrets(schema, value, ring, '');
        expect(JSON.stringify(sealed)).not.toContain(PLANTED);
        expect(JSON.stringify(maskSecrets(schema, sealed))).not.toContain(PLANTED);
        expect(await openSecrets(sealed, ring, '')).toEqual(value);
      }),
      { numRuns: runs(300) },
    );
  });

  it('of a component schema has all of its secret fields masked', () => {
    const registries = { ...sinkComponents, ...sourceComponents, ...embeddingComponents };
    for (const [kind, schema] of Object.entries(registries)) {
      const filled = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, PLANTED]));
      const seen = maskSecrets(schema, filled) as Record<string, unknown>;
      const open = Object.keys(seen).filter((name) => seen[name] === PLANTED);
      expect(
        open.filter((name) => /password|secret|token$|(^|_)key$|api_key/.test(name)),
        kind,
      ).toEqual(open.filter((name) => name === 'service_account_key' || name === 'space_key'));
    }
  });
});
