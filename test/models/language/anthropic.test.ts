import { describe, expect, it } from 'vitest';
import { anthropic } from '#src/models/language/anthropic.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { ANTHROPIC_MOUNT, ANTHROPIC_SETTINGS, anthropicFixture } from './fixtures/anthropic.ts';

languageModelSuite(anthropicFixture);

describe('check', () => {
  const vendors = useVendors(ANTHROPIC_MOUNT);
  const check = (given: object) => anthropic.check({ ...ANTHROPIC_SETTINGS, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${ANTHROPIC_SETTINGS.model} answers.`);
    await expect(check({ api_key: 'other-key' })).rejects.toThrow(/^api_key: /);
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 401]);
  });
});
