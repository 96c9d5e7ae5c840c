import { describe, expect, it } from 'vitest';
import { openai } from '#src/models/language/openai.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { OPENAI_MOUNT, OPENAI_SETTINGS, openaiFixture } from './fixtures/openai.ts';

languageModelSuite(openaiFixture);

describe('check', () => {
  const vendors = useVendors(OPENAI_MOUNT);
  const check = (given: object) => openai.check({ ...OPENAI_SETTINGS, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${OPENAI_SETTINGS.model} answers.`);
    await expect(check({ api_key: 'other-key' })).rejects.toThrow(/^api_key: /);
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 401]);
  });
});
