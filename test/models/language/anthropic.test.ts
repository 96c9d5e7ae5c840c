import { describe, expect, it } from 'vitest';
import { anthropic } from '#src/models/language/anthropic.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { anthropicMessages } from '#test/vendors/chat/protocols/anthropic.ts';
import { useVendors } from '#test/vendors/client.ts';
import { chatFixture } from './chat-fixture.ts';

const KEY = 'key-of-the-model';
const settings = { model: 'claude-sonnet-4-5', api_key: KEY };
const mount = { vendor: 'anthropic', settings: { key: KEY } };

languageModelSuite(
  chatFixture({
    ...{ name: 'Anthropic', kind: 'anthropic', protocol: anthropicMessages },
    ...{ secret: KEY, settings, mount },
  }),
);

describe('check', () => {
  const vendors = useVendors(mount);
  const check = (given: object) => anthropic.check({ ...settings, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${settings.model} answers.`);
    await expect(check({ api_key: 'other-key' })).rejects.toThrow(/^api_key: /);
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 401]);
  });
});
