import { describe, expect, it } from 'vitest';
import { cohere } from '#src/models/language/cohere.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { cohereChat } from '#test/vendors/chat/protocols/cohere.ts';
import { useVendors } from '#test/vendors/client.ts';
import { chatFixture } from './chat-fixture.ts';

const KEY = 'key-of-the-model';
const settings = { model: 'command-a-03-2025', api_key: KEY };
const mount = { vendor: 'cohere-chat', settings: { key: KEY } };

languageModelSuite(
  chatFixture({
    ...{ name: 'Cohere', kind: 'cohere', protocol: cohereChat },
    ...{ secret: KEY, settings, mount },
    refuses: false,
  }),
);

describe('check', () => {
  const vendors = useVendors(mount);
  const check = (given: object) => cohere.check({ ...settings, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${settings.model} answers.`);
    await expect(check({ api_key: 'other-key' })).rejects.toThrow(/^api_key: /);
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 401]);
  });
});
