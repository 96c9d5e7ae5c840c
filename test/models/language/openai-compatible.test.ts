import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { createOperatorDeps } from '#src/models/definition/deps.ts';
import { openaiCompatible } from '#src/models/language/openai-compatible.ts';
import type { Settings } from '#src/settings/settings.ts';
import { languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import {
  COMPATIBLE_MOUNT,
  COMPATIBLE_SETTINGS,
  openaiCompatibleFixture,
} from './fixtures/openai-compatible.ts';

languageModelSuite(openaiCompatibleFixture);

afterEach(() => vi.unstubAllGlobals());

describe('check', () => {
  const vendors = useVendors(COMPATIBLE_MOUNT);
  const check = (given: object) => openaiCompatible.check({ ...COMPATIBLE_SETTINGS, ...given }, modelDeps());

  it('asks one short question and names the wrong setting', async () => {
    expect(await check({})).toBe('talker answers.');
    await expect(check({ api_key: 'other' })).rejects.toThrow(/^api_key: /);
    await expect(check({ base_url: 'http://llm.test/v2' })).rejects.toThrow(/^model or base_url: /);
    expect((await vendors.current.state()).seen).toHaveLength(3);
  });
});

it('check may reach a private address, because the operator configured the address', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (input: URL) => {
    asked.push(String(input));
    return new Response('{}', { status: 401 });
  });
  const settings = { ALLOW_PRIVATE_ADDRESSES: false } as Settings;
  const deps = createOperatorDeps({ settings, bindings: {}, log: createLogger({}, 'error') });
  const checking = openaiCompatible.check({ base_url: 'http://10.0.0.7:8000/v1', model: 'm' }, deps);
  await expect(checking).rejects.toMatchObject({ status: 401 });
  expect(asked).toEqual(['http://10.0.0.7:8000/v1/chat/completions']);
});
