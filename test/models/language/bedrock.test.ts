import { describe, expect, it } from 'vitest';
import { bedrock } from '#src/models/language/bedrock.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { bedrockConverse } from '#test/vendors/chat/protocols/bedrock.ts';
import { useVendors } from '#test/vendors/client.ts';
import { chatFixture } from './chat-fixture.ts';

const KEY = 'key-of-the-model';
const settings = {
  model: 'meta.llama3-70b-instruct-v1:0',
  region: 'eu-central-1',
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key: KEY,
};
const mount = { vendor: 'bedrock-converse', settings: { secretAccessKey: KEY } };

languageModelSuite(
  chatFixture({
    ...{ name: 'Bedrock', kind: 'bedrock', protocol: bedrockConverse },
    ...{ secret: KEY, settings, mount },
    enforcesSchemas: false,
  }),
);

describe('check', () => {
  const vendors = useVendors(mount);
  const check = (given: object) => bedrock.check({ ...settings, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${settings.model} answers.`);
    await expect(check({ secret_access_key: 'other' })).rejects.toThrow(
      /^access_key_id or secret_access_key: /,
    );
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 403]);
  });
});
