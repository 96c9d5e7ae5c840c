import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { listEntries } from '#src/ports/source.ts';
import { box } from '#src/sources/box/box.ts';
import { checkWithDriver, openWithDriver } from '#src/sources/shared/open.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';
import { sourceSuite } from '#test/suites/source.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import { BOX_CLIENT, BOX_SETTINGS, boxFixture } from './fixtures/box.ts';

sourceSuite(boxFixture);

describe('Box folders', () => {
  const items = ['a.txt', 'in/b.txt', 'in/deeper/c.txt', 'other/d.txt'].map((path) => ({
    ...{ id: path, path, base64: btoa(path), size: path.length, modifiedAt: '2026-03-04T05:06:07Z' },
  }));
  const vendors = useVendors(
    { vendor: 'box', settings: { developerToken: 'dev-1', items, tokens: ['t'] } },
    { vendor: 'box-token', settings: { ...BOX_CLIENT, subject: 'user 5', gives: 't' } },
    { vendor: 'box-downloads' },
  );
  const deps = {
    tokens: createMemoryTokens(),
    log: createLogger(),
    limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  };
  const open = (more: object = {}) => openWithDriver(box, { ...BOX_SETTINGS, ...more }, deps).source;
  const pathsIn = async (more: object) => {
    const paths: string[] = [];
    for await (const { path } of listEntries(open(more))) paths.push(path);
    return paths.sort();
  };
  const BY_TOKEN = { authentication_mechanism: 'developer_token', developer_token: 'dev-1' };

  it('are read with a developer token or as a user', async () => {
    const all = items.map(({ path }) => path);
    expect(await pathsIn(BY_TOKEN)).toEqual(all);
    const { seen } = await vendors.current.state();
    expect(seen.some(({ operation }) => operation === 'POST /oauth2/token')).toBe(false);
    expect(await pathsIn({ user_id: '5' })).toEqual(all);
  });

  it('are limited to folder_id, with paths relative to it', async () => {
    await pathsIn(BY_TOKEN);
    const { seen } = await vendors.current.state();
    const ids = seen.flatMap(({ url }) => /folders\/(\d+)\/items/.exec(url)?.[1] ?? []).slice(1);
    const found = await Promise.all(ids.map((folder_id) => pathsIn({ ...BY_TOKEN, folder_id })));
    expect(found.sort()).toEqual([['b.txt', 'deeper/c.txt'], ['c.txt'], ['d.txt']]);
  });

  it('report a file that is not ready as retryable', async () => {
    await expect(open(BY_TOKEN).read('slow')).rejects.toMatchObject({ retryable: true, retryAfter: 7 });
  });

  it.each([
    [{ client_id: null }, 'client_id'],
    [{ client_secret: null }, 'client_secret'],
    [{ enterprise_id: null }, 'enterprise_id or user_id'],
    [{ authentication_mechanism: 'developer_token' }, 'developer_token'],
  ])('require the settings of their mechanism: %j', async (more, named) => {
    const wanted = { retryable: false, message: expect.stringContaining(named) };
    await expect(checkWithDriver(box, { ...BOX_SETTINGS, ...more }, deps)).rejects.toMatchObject(wanted);
    await expect(open(more).list(null)).rejects.toMatchObject(wanted);
  });
});
