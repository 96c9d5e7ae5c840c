import { describe, expect, it } from 'vitest';
import { collectWarnings } from '#src/lib/schema/effect.ts';
import { bedrock } from '#src/models/embedding/bedrock.ts';
import { embedderSuite } from '#test/suites/embedder.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import {
  BEDROCK_COMPONENT,
  BEDROCK_MOUNT,
  bedrockFixtures,
  COHERE,
  COHERE_4,
  TITAN,
} from './fixtures/bedrock.ts';

for (const fixture of bedrockFixtures) embedderSuite(fixture);

describe('Bedrock settings', () => {
  const vendors = useVendors({
    ...BEDROCK_MOUNT,
    settings: { ...BEDROCK_MOUNT.settings, sessionToken: 'token-of-the-session' },
  });
  const held = { ...BEDROCK_COMPONENT, cloud_session_token: 'token-of-the-session' };
  const sent = async (given: object, text = 'a') => {
    await bedrock.open({ ...held, ...given }, modelDeps()).embed([text], 'document');
    return (await vendors.current.state()).seen.at(-1)!;
  };
  const at = (region: string, model: string) =>
    `https://bedrock-runtime.${region}.amazonaws.com/model/${model}/invoke`;

  it('have default values', async () => {
    const { url, body } = await sent({ model_name: null });
    expect(url).toBe(at('eu-central-1', 'amazon.titan-embed-text-v1'));
    expect(body).toEqual({ inputText: 'a' });
  });

  it.each<[string, object, object]>([
    ['region_name', { region_name: 'us-west-2' }, { url: at('us-west-2', 'amazon.titan-embed-text-v2%3A0') }],
    [
      'additional_kwargs, which replace nothing',
      { additional_kwargs: { dimensions: 512, inputText: 'b' } },
      { body: { dimensions: 512, inputText: 'a' } },
    ],
    [
      'model_name',
      { model_name: COHERE },
      {
        url: at('eu-central-1', COHERE),
        body: { texts: ['a'], input_type: 'search_document', truncate: 'END' },
      },
    ],
    [
      'model_name of an inference profile',
      { model_name: COHERE_4, additional_kwargs: { output_dimension: 256 } },
      { url: at('eu-central-1', 'us.cohere.embed-v4%3A0'), body: { output_dimension: 256 } },
    ],
    [
      'cloud_session_token',
      { cloud_session_token: 'token-of-the-session' },
      { headers: { 'x-amz-security-token': 'token-of-the-session' } },
    ],
  ])('are applied to the request: %s', async (_, given, expected) => {
    expect(await sent(given)).toMatchObject(expected);
  });

  it('truncate a text to the character limit of the model without splitting a character', async () => {
    const { body } = await sent({ model_name: COHERE }, `${'a'.repeat(2047)}😀b`);
    expect(body).toMatchObject({ texts: ['a'.repeat(2047)] });
  });

  it('limit the number of attempts', async () => {
    const fault = { kind: 'status', status: 503 } as const;
    await vendors.current.fail(fault, fault, fault);
    await expect(sent({ max_retries: 1 })).rejects.toMatchObject({ status: 503 });
    expect((await vendors.current.state()).seen).toHaveLength(2);
  });

  it.each<[string, object]>([
    ['region_name', { region_name: null }],
    ['region_name', { region_name: 'eu.attacker.test/' }],
    ['cloud_access_key_id', { cloud_access_key_id: null }],
    ['cloud_secret_access_key', { cloud_secret_access_key: null }],
    ['model_name', { model_name: 'amazon.nova-pro-v1:0' }],
  ])('are validated before use: %s', (name, given) => {
    const opening = () => bedrock.open({ ...held, ...given }, modelDeps());
    expect(opening).toThrow(new RegExp(`${name}: `));
  });

  it('are checked with a request, and the wrong field is named', async () => {
    const check = (given: object) => bedrock.check({ ...held, ...given }, modelDeps());
    expect(await check({})).toBe(`${TITAN}@PROVIDER_B_EMBEDDING returned a vector with 4 dimensions.`);
    await expect(check({ cloud_access_key_id: 'other' })).rejects.toThrow(/^cloud_access_key_id.*: .*403/);
    await expect(check({ cloud_secret_access_key: 'other' })).rejects.toThrow(
      /cloud_secret_access_key.*: .*403/,
    );
    await expect(check({ cloud_session_token: null })).rejects.toThrow(/cloud_session_token: .*403/);
    await expect(check({ model_name: 'amazon.titan-embed-text-v9' })).rejects.toThrow(/^model_name.*: .*404/);
    await expect(check({ additional_kwargs: { colour: 'green' } })).rejects.toThrow(/colour/);
  });

  it('warn that a profile has no effect', () => {
    expect(collectWarnings(bedrock.settings, { profile_name: 'p' })).toMatchObject([
      { field: 'profile_name' },
    ]);
  });
});
