import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BOX_SETTINGS, boxFixture } from '#test/sources/fixtures/box.ts';
import { Vendor } from '#test/suites/source-vendor.ts';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

const UNSAVED = '/api/v1/validate-integrations/validate-data-source-connection';
const validatePath = (id: string) => `/api/v1/data-sources/${id}/validate`;

interface Check {
  success: boolean;
  message: string;
  loc?: (string | number)[];
  sample?: { name: string; path: string; size: number | null; web_url: string | null }[];
}

let vendor: Vendor;
beforeEach(() => {
  vendor = new Vendor();
  vendor.connect(boxFixture.classifyRequest, boxFixture.answer);
});
afterEach(async () => {
  vi.unstubAllGlobals();
  expect(await boxFixture.end!(vendor)).toEqual([]);
});

const source = (changes: object = {}) => ({
  ...{ name: 'folders', source_type: 'SOURCE_2_FOLDERS' },
  component: { ...BOX_SETTINGS, ...changes },
});
const create = async (changes: object = {}) =>
  (await call<{ id: string }>('POST', '/api/v1/data-sources', { body: source(changes) })).body.id;

/** Validates the settings both unsaved and as a data source, and checks that the results are equal. */
async function both(changes: object = {}) {
  const unsaved = await call<Check>('POST', UNSAVED, { body: source(changes) });
  const saved = await call<Check>('POST', validatePath(await create(changes)));
  expect([unsaved.status, saved.status]).toEqual([200, 200]);
  expect(saved.body).toEqual(unsaved.body);
  return saved.body;
}

describe('validating the settings of a data source', () => {
  it('succeeds, with a sample of ten files', async () => {
    for (let index = 10; index < 25; index++) vendor.put(`in/${index}.txt`, 'text');
    const { success, message, sample } = await both();
    expect([success, message]).toEqual([true, 'The data source can be read.']);
    expect(sample).toHaveLength(10);
    expect(sample![0]).toEqual({
      ...{ name: expect.stringMatching(/^\d\d\.txt$/), size: 4 },
      path: expect.stringMatching(/^in\/\d\d\.txt$/),
      web_url: expect.stringMatching(/^https:\/\/app\.box\.com\//),
    });
    expect(vendor.count('read')).toBe(0);
  });

  it('succeeds without files', async () => {
    expect(await both()).toEqual({ success: true, message: expect.stringContaining('no files'), sample: [] });
  });

  it.each([
    ['client_id', { client_secret: 'An0therSecret' }],
    ['folder_id', { folder_id: '12345' }],
    ['user_id', { user_id: 'nobody', client_id: BOX_SETTINGS.client_id, enterprise_id: null }],
  ])('names a setting, such as %s, if %j is wrong', async (name, changes) => {
    const answer = await both(changes);
    expect(answer).toMatchObject({ success: false, message: expect.stringContaining(name) });
    expect(answer.loc?.[0]).toBe('component');
    expect(Object.keys(BOX_SETTINGS).concat('folder_id', 'user_id')).toContain(answer.loc?.[1]);
    expect(JSON.stringify(answer)).not.toContain('An0therSecret');
  });

  it('names no setting if the external system fails', async () => {
    const id = await create();
    vendor.next('list', { kind: 'status', status: 503 });
    const { body } = await call<Check>('POST', validatePath(id));
    expect(body).toEqual({ success: false, message: expect.stringContaining('Box') });
  });

  it('rejects malformed settings', async () => {
    const { status, body } = await call<{ detail: { loc: string[] }[] }>('POST', UNSAVED, {
      body: source({ authentication_mechanism: 'by hand' }),
    });
    expect(status).toBe(422);
    expect(body.detail[0]!.loc).toEqual(['body', 'component', 'authentication_mechanism']);
  });

  it('requires a key, and answers 404 for another tenant', async () => {
    const { key } = await createTenant();
    expect((await call('POST', validatePath(await create()), { key })).status).toBe(404);
    expect((await call('POST', validatePath(await create()), { key: null })).status).toBe(401);
  });
});
