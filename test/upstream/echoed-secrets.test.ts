import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { createLogger } from '#src/lib/log.ts';
import { embedders } from '#src/models/embedding/registry.ts';
import { languageModels } from '#src/models/language/registry.ts';
import { sinkComponents, sinkDriver } from '#src/sinks/registry.ts';
import type { SourceDeps } from '#src/sources/define.ts';
import { checkSource, sourceComponents } from '#src/sources/registry.ts';
import { keyPair } from '#test/support/key-pair.ts';
import { modelDeps } from '#test/support/models.ts';
import { plant } from '#test/support/plant.ts';

type Check = (component: Record<string, unknown>) => Promise<unknown>;

const log = createLogger({}, 'error');
const settings = { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 };
const { privateKey } = await keyPair();

/** Where the fields of addresses lead, and other fields whose values are checked before anything is asked. */
const SOUND: [name: RegExp, value: unknown][] = [
  [
    /^(api_endpoint|url|uri|.*_(url|uri|endpoint|base)|server_url|token_uri|search_service_endpoint)$/,
    'https://other.example',
  ],
  [/^private_key$/, privateKey],
  [/^(bucket|container_name|collection_name|index_name|search_service_index_name)$/, 'texts'],
  [/^(region|aws_region|region_name)$/, 'eu-west-1'],
];

/** What some kinds need beside their required fields before they ask anything; `undefined` leaves a field out. */
const FURTHER: Record<string, Record<string, unknown>> = {
  VENDOR_B_SEARCH: { client_secret: undefined },
  SOURCE_1_BLOB: { account_key: undefined, tenant_id: 'tenant', client_id: 'client' },
  SOURCE_2_FOLDERS: { authentication_mechanism: 'developer_token' },
  SOURCE_3_WIKI: { authentication_mechanism: 'basic', user_name: 'ann' },
  SOURCE_4_DRIVE: {
    service_account_key: {
      client_email: 'a@p.example',
      private_key: privateKey,
      token_uri: 'https://other.example/token',
    },
  },
  SOURCE_5_ISSUES: { authentication_mechanism: 'PAT' },
  SOURCE_5_ISSUES_V2: { authentication_mechanism: 'PAT' },
  SOURCE_7_SITE: { site_name: 'site' },
};

/** Kinds that ask nobody: the built-in embedder, and models of the runtime's own binding. */
const ASKING_NOBODY = ['PROVIDER_F_EMBEDDING', 'workers_ai'];

/** Kinds by name: the schema of their settings, and how a driver tries settings. */
const KINDS: Record<string, [z.ZodObject, Check]> = {
  ...Object.fromEntries(
    Object.entries(sinkComponents)
      // These two speak protocols of their own; their suites have tests of their messages.
      .filter(([kind]) => kind !== 'VENDOR_D' && kind !== 'VENDOR_F')
      .map(([kind, shape]) => [
        kind,
        [shape, (component) => sinkDriver(kind, component).check(component, { fetch, log, settings })],
      ]),
  ),
  ...Object.fromEntries(
    Object.entries(sourceComponents).map(([kind, shape]) => [
      kind,
      [
        shape,
        (component) =>
          checkSource(kind, component, { log, settings, limits: settings, tokens: noTokens } as never),
      ],
    ]),
  ),
  ...Object.fromEntries(
    [...Object.entries(embedders), ...Object.entries(languageModels)].map(([kind, driver]) => [
      kind,
      [driver.settings as z.ZodObject, (component) => driver.check(component, modelDeps())],
    ]),
  ),
};

const noTokens = {
  get: async (_: string, make: () => Promise<unknown>) => make(),
} as unknown as SourceDeps['tokens'];

let planted: string[] = [];
let calls = 0;

/** A secret of five characters. */
const secret = () => {
  planted.push(`Zq${String(planted.length).padStart(2, '0')}x`);
  return planted.at(-1)!;
};

beforeEach(() => {
  planted = [];
  calls = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    calls += 1;
    return Response.json({ message: `Wrong credentials: ${planted.join(', ')}.` }, { status: 401 });
  });
});
afterEach(() => void vi.restoreAllMocks());

describe('a system that repeats the credentials', () => {
  it.each(Object.keys(KINDS))('is not quoted with them by %s', async (kind) => {
    const [shape, check] = KINDS[kind]!;
    const component = plant(shape, secret);
    for (const [name, value] of SOUND) {
      for (const member of Object.keys(shape.shape)) if (name.test(member)) component[member] = value;
    }
    Object.assign(component, FURTHER[kind]);
    const sent = planted.filter((each) => JSON.stringify(component).includes(each));
    const error = await check(component).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(calls > 0).toBe(!ASKING_NOBODY.includes(kind));
    expect(sent.filter((each) => String(error).includes(each))).toEqual([]);
  });
});
