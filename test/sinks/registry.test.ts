/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest';
import type { z } from 'zod';
import { isWithoutEffect } from '#src/lib/schema/effect.ts';
import { isSameLocation, SINK_TYPES, sinkComponents, sinkDriver } from '#src/sinks/registry.ts';

it.each<[string, Record<string, unknown>, Record<string, unknown>, boolean]>([
  ['VENDOR_G', { url: 'u', collection_name: 'c', api_key: 'k' }, { max_retries: 1, api_key: 'other' }, true],
  ['VENDOR_G', { url: 'u', collection_name: 'c', api_key: 'k' }, { collection_name: 'd' }, false],
  [
    'VENDOR_D',
    { db_uri: 'mongodb://u:p@h1,h2/x?w=1', db_name: 'd' },
    { db_uri: 'mongodb://v:q%40@h1,h2' },
    true,
  ],
  ['VENDOR_D', { db_uri: 'mongodb+srv://u:p@h', db_name: 'd' }, { db_uri: 'mongodb+srv://u:p@other' }, false],
  ['VENDOR_F', { host: 'h', port: 1, table_name: 't' }, { password: 'new' }, true],
  ['VENDOR_F', { host: 'h', port: 1, table_name: 't' }, { hybrid_search: true }, false],
  ['VENDOR_E', { index_name: 'i', api_key: 'k' }, { namespace: 'n' }, false],
  ['VENDOR_H', { url: 'u', index_name: 'i' }, { api_key: 'other', username: 'u' }, true],
  ['VENDOR_H', { url: 'u', index_name: 'i' }, { index_name: 'j' }, false],
  ['VENDOR_C', { anything: 1 }, { anything: 2 }, false],
  ['VENDOR_C', { anything: 1 }, {}, true],
])('%s: %j changed by %j has the same location: %s', (type, one, changes, expected) => {
  expect(isSameLocation(type, one, { ...one, ...changes })).toBe(expected);
});

it('component with another shape has another location', () => {
  expect(isSameLocation('VENDOR_C', { uri: 'u' }, { anything: 1 })).toBe(false);
});

it.each([
  ['VENDOR_C', { anything: 1 }, 'does not match'],
  ['UNKNOWN', { uri: 'u' }, 'does not match'],
])('%s with %j cannot be opened: %s', (type, component, reason) => {
  expect(() => sinkDriver(type, component)).toThrow(reason);
});

it('documented fields without effect match the schemas', () => {
  const [table = ''] = Object.values(
    import.meta.glob<string>('../../docs/reference/fields-without-effect.md', {
      query: '?raw',
      import: 'default',
      eager: true,
    }),
  );
  const found = SINK_TYPES.flatMap((type) =>
    Object.entries(sinkComponents[type].shape)
      .filter(([, schema]) => isWithoutEffect(schema as z.ZodType))
      .map(([name]) => `${type} ${name}`),
  );
  const rows = [...table.matchAll(/^\| (VENDOR_\w+) \| `(\w+)` \|/gm)];
  expect(found).toEqual(rows.map(([, type, field]) => `${type} ${field}`));
});
