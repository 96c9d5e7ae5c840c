import { describe, expect, it } from 'vitest';
import { bedrock } from '#src/models/language/bedrock.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { BEDROCK_MOUNT, BEDROCK_SETTINGS, bedrockFixture } from './fixtures/bedrock.ts';

languageModelSuite(bedrockFixture);

describe('check', () => {
  const vendors = useVendors(BEDROCK_MOUNT);
  const check = (given: object) => bedrock.check({ ...BEDROCK_SETTINGS, ...given }, modelDeps());

  it('asks one short question and names the wrong key', async () => {
    expect(await check({})).toBe(`${BEDROCK_SETTINGS.model} answers.`);
    await expect(check({ secret_access_key: 'other' })).rejects.toThrow(
      /^access_key_id or secret_access_key: /,
    );
    expect((await vendors.current.state()).seen.map(({ status }) => status)).toEqual([200, 403]);
  });
});
