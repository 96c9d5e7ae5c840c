import { expect, it } from 'vitest';
import { SOURCE_TYPES } from '#src/sources/registry.ts';
import { sourceLies } from '#test/suites/source-lies.ts';
import { largeLiesFor } from '#test/vendors/lies.ts';
import { sourceFixtures } from './fixtures/all.ts';

// Files may be large, so only listings contain the lies.
for (const [index, fixture] of sourceFixtures.entries()) {
  sourceLies(fixture, { listing: largeLiesFor(index), file: [] });
}

it('fixtures cover every data source', () => {
  const kinds = new Set(sourceFixtures.map(({ definition }) => definition.kind));
  expect([...kinds].sort()).toEqual([...SOURCE_TYPES].sort());
});
