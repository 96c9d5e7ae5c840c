import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { collectWarnings } from '#src/lib/schema/effect.ts';
import { createTenantDeps } from '#src/models/definition/deps.ts';
import { huggingface } from '#src/models/embedding/huggingface.ts';
import type { Settings } from '#src/settings/settings.ts';
import { embedderSuite } from '#test/suites/embedder.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import {
  HUGGINGFACE_COMPONENT,
  HUGGINGFACE_KEY,
  HUGGINGFACE_MOUNT,
  huggingfaceFixture,
} from './fixtures/huggingface.ts';

embedderSuite(huggingfaceFixture);

describe('Hugging Face settings', () => {
  const models = ['o/m', 'm', 'thenlper/gte-large', 'sentence-transformers/all-MiniLM-L6-v2'];
  const vendors = useVendors({ ...HUGGINGFACE_MOUNT, settings: { key: HUGGINGFACE_KEY, models } });
  const seen = async () => (await vendors.current.state()).seen.at(-1)!;
  const sent = async (given: object, purpose: 'document' | 'query' = 'query') => {
    await huggingface.open({ ...HUGGINGFACE_COMPONENT, ...given }, modelDeps()).embed(['a'], purpose);
    return seen();
  };
  const at = (model: string) =>
    `https://router.huggingface.co/hf-inference/models/${model}/pipeline/feature-extraction`;

  it.each<[string, object, object]>([
    ['the usual ones', {}, { url: at('o/m'), body: { inputs: ['a'], truncate: true } }],
    ['a model without an owner', { model_name: 'm' }, { url: at('m') }],
    ['no model', { model_name: null }, { url: at('thenlper/gte-large') }],
    [
      'a task in place of a model',
      { model_name: null, task: 'sentence-similarity' },
      { url: at('sentence-transformers/all-MiniLM-L6-v2') },
    ],
    ['headers', { headers: { 'x-team': 'a' } }, { headers: { 'x-team': 'a' } }],
    ['cookies', { cookies: { a: 'b', c: 'd' } }, { headers: { cookie: 'a=b; c=d' } }],
    ['query_instruction', { query_instruction: 'Find:' }, { body: { inputs: ['Find: a'] } }],
    ['text_instruction, for texts', { text_instruction: 'Read:' }, { body: { inputs: ['a'] } }],
  ])('are applied to the request: %s', async (_, given, expected) => {
    expect(await sent(given)).toMatchObject(expected);
  });

  it('apply the text instruction to documents and not the query instruction', async () => {
    const instructions = { query_instruction: 'Find:', text_instruction: 'Read:' };
    expect((await sent(instructions, 'document')).body).toMatchObject({ inputs: ['Read: a'] });
  });

  it.each([false, null, true])('send no authorization header if the token is %j', async (token) => {
    await expect(sent({ token })).rejects.toMatchObject({ status: 401 });
    expect((await seen()).headers).not.toHaveProperty('authorization');
    const warned = collectWarnings(huggingface.settings, { token }).map(({ field }) => field);
    expect(warned).toEqual(token === true ? ['token'] : []);
  });

  it('prefer a header to the token', async () => {
    const headers = { Authorization: `Bearer ${HUGGINGFACE_KEY}` };
    expect((await sent({ token: 'other', headers })).status).toBe(200);
  });

  it('encode the model name in the URL', async () => {
    await expect(sent({ model_name: 'm?x=1#' })).rejects.toMatchObject({ status: 404 });
    expect((await seen()).url).toBe(at('m%3Fx%3D1%23'));
  });

  it('accept a server URL as model name, except a private address for a tenant', async () => {
    const server = 'http://127.0.0.1:9/';
    const embedder = huggingface.open({ ...HUGGINGFACE_COMPONENT, model_name: server }, modelDeps());
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({ status: 404 });
    expect(await seen()).toMatchObject({ url: server, body: { inputs: ['a'], truncate: true } });
    const settings = { ALLOW_PRIVATE_ADDRESSES: false } as Settings;
    const deps = createTenantDeps({ settings, bindings: {}, log: createLogger({}, 'error') });
    const guarded = huggingface.open({ ...HUGGINGFACE_COMPONENT, model_name: server }, deps);
    await expect(guarded.embed(['a'], 'query')).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('are checked with a request, and the wrong field is named', async () => {
    const check = (given: object) => huggingface.check({ ...HUGGINGFACE_COMPONENT, ...given }, modelDeps());
    expect(await check({})).toBe('o/m@PROVIDER_E_EMBEDDING/cls returned a vector with 4 dimensions.');
    await expect(check({ token: 'other' })).rejects.toThrow(/^token: .*answered 401/);
    await expect(check({ model_name: 'other' })).rejects.toThrow(/^model_name: .*404/);
    await expect(check({ model_name: 'http://' })).rejects.toThrow(/^model_name: /);
    await expect(check({ task: 'translation' })).rejects.toThrow(/task/);
  });
});

describe('model that returns a vector per token', () => {
  const vendors = useVendors({ ...HUGGINGFACE_MOUNT, settings: { key: HUGGINGFACE_KEY, tokens: true } });
  const embed = (pooling: string | null) =>
    huggingface.open({ ...HUGGINGFACE_COMPONENT, pooling }, modelDeps()).embed(['a'], 'query');
  const direction = (numbers: number[]) => numbers.map((value) => value / Math.hypot(...numbers));

  it('pools the token vectors by first, last or mean', async () => {
    const tokens = [
      [1, 0],
      [0, 1],
      [2, 5],
    ];
    const of = async (pooling: string | null) => {
      await vendors.current.fail({ kind: 'body', body: JSON.stringify([tokens]) });
      return [...(await embed(pooling))[0]!].map((value) => Math.round(value * 1e6));
    };
    const rounded = (numbers: number[]) => direction(numbers).map((value) => Math.round(value * 1e6));
    expect(await of('cls')).toEqual(rounded([1, 0]));
    expect(await of(null)).toEqual(rounded([1, 0]));
    expect(await of('last')).toEqual(rounded([2, 5]));
    expect(await of('mean')).toEqual(rounded([3, 6]));
    expect((await embed('mean'))[0]).toHaveLength(4);
    await vendors.current.fail({ kind: 'body', body: JSON.stringify([[tokens]]) });
    expect((await embed('last'))[0]![1]).toBeCloseTo(direction([2, 5])[1]!, 6);
  });

  it.each(['[[[1,2],[1]]]', '[[[1,2],"a"]]', '[[[1,"2"],[1,2]]]', '[[[]]]', '[[]]'])(
    'rejects %s',
    async (body) => {
      await vendors.current.fail({ kind: 'body', body });
      await expect(embed('mean')).rejects.toMatchObject({ retryable: false });
    },
  );
});
