import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { z } from 'zod';
import { createLogger } from '#src/lib/log.ts';
import { embedders } from '#src/models/embedding/registry.ts';
import { languageModels } from '#src/models/language/registry.ts';
import { ocrEngines } from '#src/models/ocr/registry.ts';
import { rerankers } from '#src/models/reranking/registry.ts';
import { sinkComponents, sinkDriver } from '#src/sinks/registry.ts';
import { checkSource, sourceComponents } from '#src/sources/registry.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { keyPair } from '#test/support/key-pair.ts';
import { modelDeps } from '#test/support/models.ts';
import { plant } from '#test/support/plant.ts';
import { skipWaits } from '#test/support/skipped-waits.ts';
import { makeSound } from '#test/support/sound-settings.ts';
import { MongoSession, PASSWORD } from '#test/vendors/mongodb/client.ts';
import { PASSWORD_IN_CLEAR } from '#test/vendors/mongodb/protocol.ts';

type Check = (component: Record<string, unknown>) => Promise<unknown>;

const log = createLogger({}, 'error');
const settings = { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 };
const { privateKey } = await keyPair();

/** Types that send no requests: the built-in embedder and Workers AI models. */
const ASKING_NOBODY = ['PROVIDER_F_EMBEDDING', 'workers_ai'];

/** Types by name, with the schema of their settings and their check. */
const KINDS: Record<string, [z.ZodObject, Check]> = {
  ...Object.fromEntries(
    Object.entries(sinkComponents)
      // PostgreSQL and MongoDB use their own protocols and are tested below.
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
  vision: [
    ocrEngines.vision.settings,
    (component) => ocrEngines.vision.open(component, modelDeps()).recognise(PICTURE, []),
  ],
  'cohere (reranking)': [
    rerankers.cohere.settings,
    (component) => rerankers.cohere.check(component, modelDeps()),
  ],
  'bedrock (reranking)': [
    rerankers.bedrock.settings,
    (component) => rerankers.bedrock.check(component, modelDeps()),
  ],
};

const PICTURE = { bytes: new Uint8Array(8), mimeType: 'image/png', width: 1, height: 1 } as const;

const noTokens = {
  get: async (_: string, make: () => Promise<unknown>) => make(),
} as unknown as SourceDeps['tokens'];

/** Ways in which a vendor repeats credentials. */
const ANSWERS: Record<string, (message: string) => Response> = {
  'a refusal': (message) => Response.json({ message, error: { message } }, { status: 401 }),
  'a refused input': (message) => Response.json({ message, error: { message } }, { status: 422 }),
  'JSON of another shape': (message) => Response.json({ message, error: { message }, choices: message }),
  'a text': (message) => new Response(message, { headers: { 'content-type': 'application/json' } }),
};

let planted: string[] = [];
let answer = ANSWERS['a refusal'];
let calls = 0;

/** Returns a secret of five characters. */
const secret = () => {
  planted.push(`Zq${String(planted.length).padStart(2, '0')}x`);
  return planted.at(-1)!;
};

beforeEach(() => {
  planted = [];
  calls = 0;
  answer = ANSWERS['a refusal'];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    calls += 1;
    return answer!(`Wrong credentials: ${planted.join(', ')}.`);
  });
});
afterEach(() => void vi.restoreAllMocks());

describe('error with credentials repeated', () => {
  const rows = Object.keys(ANSWERS).flatMap((how) => Object.keys(KINDS).map((kind) => [how, kind] as const));
  it.each(rows)('in %s by %s hides them', async (how, kind) => {
    skipWaits();
    answer = ANSWERS[how];
    const [shape, check] = KINDS[kind]!;
    const component = makeSound(kind, Object.keys(shape.shape), plant(shape, secret), {
      address: 'https://other.example',
      privateKey,
    });
    const sent = planted.filter((each) => JSON.stringify(component).includes(each));
    const error = await check(component).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(calls > 0).toBe(!ASKING_NOBODY.includes(kind));
    expect(sent.filter((each) => String(error).includes(each))).toEqual([]);
  });

  it.each(['Zq0x', 'a long password, of several words', 'p@ss:w/rd%'])(
    'hides the password %j repeated by PostgreSQL',
    async (password) => {
      const component = {
        // The test server rejects this user and repeats the name.
        ...{ host: '127.0.0.1', port: inject('relational'), user: `error 28P01 with ${password}` },
        ...{ database: 'd', schema_name: 's', table_name: 't', embed_dim: 8, password, perform_setup: false },
      };
      const said = await catchMessage(
        sinkDriver('VENDOR_F', component).check(component, { fetch, log, settings }),
      );
      expect(said).toContain('answered 28P01: refused for error 28P01 with [removed]');
    },
  );

  it('hides the plain and encoded password repeated by MongoDB', async () => {
    const session = new MongoSession();
    const uri = session.uri();
    await session.fail({
      kind: 'answer',
      answer: { ok: 0, code: 13, errmsg: `no right for ${PASSWORD_IN_CLEAR}, ${PASSWORD} or ${uri}` },
    });
    const component = {
      ...{ db_uri: uri, db_name: session.name, collection_name: 'texts', embedding_dimension: 8 },
    };
    const said = await catchMessage(
      sinkDriver('VENDOR_D', component).check(component, { fetch, log, settings }),
    );
    expect(said).toContain('no right for [removed], [removed] or [removed]');
  });
});

const catchMessage = (check: Promise<unknown>): Promise<string> =>
  check.then(
    () => '',
    (error: unknown) => String(error),
  );
