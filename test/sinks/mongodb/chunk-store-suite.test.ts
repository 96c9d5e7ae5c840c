import { afterEach, beforeEach, expect } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import mongodb from '#src/sinks/mongodb/mongodb.ts';
import { MongoChunkStore } from '#src/sinks/mongodb/search/chunk-store.ts';
import { chunkStoreSuite } from '#test/suites/chunk-store.suite.ts';
import { MongoSession } from '#test/vendors/mongodb/client.ts';

let session: MongoSession;
beforeEach(() => {
  session = new MongoSession();
});
afterEach(async () => {
  expect((await session.state()).mistakes).toEqual([]);
});

chunkStoreSuite({
  name: 'MongoDB Atlas',
  open(indexId) {
    const place = { db_uri: session.uri(), db_name: session.name, collection_name: 'c' };
    return new MongoChunkStore(mongodb.settings.parse({ ...place, native_search: true }), {
      ...{ fetch, log: createLogger(), indexId },
      settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
    });
  },
});
