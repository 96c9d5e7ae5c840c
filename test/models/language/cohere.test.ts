import { describe, expect, it } from 'vitest';
import { cohere } from '#src/models/language/cohere.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { COHERE_MOUNT, COHERE_SETTINGS, cohereFixture } from './fixtures/cohere.ts';

languageModelSuite(cohereFixture);

describe('check', () => {
  const vendors = useVendors(COHERE_MOUNT);
  const check = (given: object) => cohere.check({ ...COHERE_SETTINGS, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${COHERE_SETTINGS.model} answers.`);
    await expect(check({ api_key: 'other-key' })).rejects.toThrow(/^api_key: /);
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 401]);
  });
});
