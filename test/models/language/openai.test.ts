import { describe, expect, it } from 'vitest';
import { openai } from '#src/models/language/openai.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { openaiChat } from '#test/vendors/chat/protocols/openai.ts';
import { useVendors } from '#test/vendors/client.ts';
import { chatFixture } from './chat-fixture.ts';

const KEY = 'key-of-the-model';
const settings = { model: 'gpt-4.1-mini', api_key: KEY };
const mount = { vendor: 'openai-chat', settings: { key: KEY } };

languageModelSuite(
  chatFixture({
    ...{ name: 'OpenAI', kind: 'openai', protocol: openaiChat },
    ...{ secret: KEY, settings, mount },
  }),
);

describe('check', () => {
  const vendors = useVendors(mount);
  const check = (given: object) => openai.check({ ...settings, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${settings.model} answers.`);
    await expect(check({ api_key: 'other-key' })).rejects.toThrow(/^api_key: /);
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 401]);
  });
});
