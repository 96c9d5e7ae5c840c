import { describe, expect, it } from 'vitest';
import { azureOpenai } from '#src/models/language/azure-openai.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { openaiChat } from '#test/vendors/chat/protocols/openai.ts';
import { useVendors } from '#test/vendors/client.ts';
import { chatFixture } from './chat-fixture.ts';

const KEY = 'key-of-the-model';
const settings = { model: 'talker', api_key: KEY, base_url: 'https://r.openai.azure.com' };
const mount = { vendor: 'azure-openai-chat', settings: { key: KEY } };

languageModelSuite(
  chatFixture({
    ...{ name: 'Azure OpenAI', kind: 'azure_openai', protocol: openaiChat },
    ...{ secret: KEY, settings, mount },
  }),
);

describe('check', () => {
  const vendors = useVendors(mount);
  const check = (given: object) => azureOpenai.check({ ...settings, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${settings.model} answers.`);
    await expect(check({ api_key: 'other-key' })).rejects.toThrow(/^api_key: /);
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 401]);
  });
});
