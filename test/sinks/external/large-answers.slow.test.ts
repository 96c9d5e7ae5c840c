import { expect, it } from 'vitest';
import mongodb from '#src/sinks/mongodb/mongodb.ts';
import pgvector from '#src/sinks/pgvector/pgvector.ts';
import { SINK_TYPES, type SinkType } from '#src/sinks/registry.ts';
import { storeLies } from '#test/suites/store-lies.ts';
import { largeLiesFor } from '#test/vendors/lies.ts';
import { lyingStores } from './lying-stores.ts';

/** Data sinks that do not speak HTTP. */
const OTHER_PROTOCOLS: readonly SinkType[] = [mongodb.kind, pgvector.kind];

// Each answer takes a second, and all calls of a store share one client, so one call stands for the others.
for (const [index, store] of lyingStores.entries()) storeLies(store, largeLiesFor(index), ['query']);

it('fixtures cover every store that speaks HTTP', () => {
  const kinds = new Set<string>(lyingStores.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(SINK_TYPES.filter((type) => !OTHER_PROTOCOLS.includes(type)).sort());
});
