import { afterEach, beforeEach, expect, inject } from 'vitest';
import mongodb from '#src/sinks/mongodb/mongodb.ts';
import { openDriver } from '#src/sinks/open-driver.ts';
import type { Sink } from '#src/sinks/sink.ts';
import { document } from '#test/suites/sink/content.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { MongoSession } from '#test/vendors/mongodb/client.ts';
import type { MongoFault } from '#test/vendors/mongodb/protocol.ts';
import { Directory, managedDeps } from './managed-index.ts';

let session: MongoSession;
beforeEach(() => {
  session = new MongoSession();
});
afterEach(async () => {
  expect((await session.state()).mistakes).toEqual([]);
});

function openMongo(indexId: string, directory: Directory, db_uri = session.uri(), silence = 30): Sink {
  const component = { db_uri, db_name: session.name, collection_name: 'shared by all indexes' };
  const settings = { ...managedDeps.settings, SILENCE_SECONDS: silence };
  const deps = { ...managedDeps, settings, indexId, directory };
  return openDriver(mongodb, mongodb.settings.parse(component), deps);
}

/** An index with a document in it, as it is opened once its store fails. */
const filled = (open: (...index: [string, Directory]) => Sink | Promise<Sink>) => async () => {
  const index = [crypto.randomUUID(), new Directory()] as const;
  await put(openMongo(...index), document('b'), ['text']);
  return open(...index);
};
const failing = (fault: MongoFault, silence = 30) =>
  filled(async (...index) => {
    await session.fail(fault);
    return openMongo(...index, session.uri(), silence);
  });
const answering = (code: number, codeName: string) =>
  failing({ kind: 'answer', answer: { ok: 0, errmsg: `as ${codeName}`, code, codeName } });

sinkSuite({
  kind: mongodb.kind,
  capabilities: mongodb.capabilities,
  fresh() {
    const index = [crypto.randomUUID(), new Directory()] as const;
    return () => openMongo(...index);
  },
  failing: {
    401: filled((...index) =>
      openMongo(...index, `mongodb://sluice%20owner:wrong@${inject('mongodb').primary}/`),
    ),
    403: answering(13, 'Unauthorized'),
    404: answering(59, 'CommandNotFound'),
    429: answering(462, 'IngressRequestRateLimitExceeded'),
    500: answering(1, 'InternalError'),
    timeout: failing({ kind: 'silent' }, 0.5),
  },
  withoutStore: ['remove', 'chunksOf', 'stats'],
  keepsDimension: true,
  oneFilterIn: 5,
});
