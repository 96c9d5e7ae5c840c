import { describe, expect, it } from 'vitest';
import { gemini } from '#src/models/language/gemini.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { geminiContent } from '#test/vendors/chat/protocols/gemini.ts';
import { useVendors } from '#test/vendors/client.ts';
import { chatFixture } from './chat-fixture.ts';

const KEY = 'key-of-the-model';
const settings = { model: 'gemini-2.5-flash', api_key: KEY };
const mount = { vendor: 'gemini-chat', settings: { key: KEY } };

languageModelSuite(
  chatFixture({
    ...{ name: 'Gemini', kind: 'gemini', protocol: geminiContent },
    ...{ secret: KEY, settings, mount },
  }),
);

describe('check', () => {
  const vendors = useVendors(mount);
  const check = (given: object) => gemini.check({ ...settings, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${settings.model} answers.`);
    await expect(check({ api_key: 'other-key' })).rejects.toThrow(/^api_key: /);
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 401]);
  });
});
