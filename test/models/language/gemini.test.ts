import { describe, expect, it } from 'vitest';
import { gemini } from '#src/models/language/gemini.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { GEMINI_MOUNT, GEMINI_SETTINGS, geminiFixture } from './fixtures/gemini.ts';

languageModelSuite(geminiFixture);

describe('check', () => {
  const vendors = useVendors(GEMINI_MOUNT);
  const check = (given: object) => gemini.check({ ...GEMINI_SETTINGS, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${GEMINI_SETTINGS.model} answers.`);
    await expect(check({ api_key: 'other-key' })).rejects.toThrow(/^api_key: /);
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 401]);
  });
});
