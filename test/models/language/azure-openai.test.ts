import { describe, expect, it } from 'vitest';
import { azureOpenai } from '#src/models/language/azure-openai.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { AZURE_MOUNT, AZURE_SETTINGS, azureOpenaiFixture } from './fixtures/azure-openai.ts';

languageModelSuite(azureOpenaiFixture);

describe('check', () => {
  const vendors = useVendors(AZURE_MOUNT);
  const check = (given: object) => azureOpenai.check({ ...AZURE_SETTINGS, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${AZURE_SETTINGS.model} answers.`);
    await expect(check({ api_key: 'other-key' })).rejects.toThrow(/^api_key: /);
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 401]);
  });
});
