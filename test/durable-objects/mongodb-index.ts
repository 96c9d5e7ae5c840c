import { afterEach, beforeEach, expect, inject } from 'vitest';
import type { Sink } from '#src/ports/sink.ts';
import mongodb from '#src/sinks/mongodb/mongodb.ts';
import { document } from '#test/suites/sink/content.ts';
import { put, type SinkFixture } from '#test/suites/sink/fixture.ts';
import type { LossOrder } from '#test/vendors/losses.ts';
import { MongoSession } from '#test/vendors/mongodb/client.ts';
import type { MongoFault } from '#test/vendors/mongodb/protocol.ts';
import { fresh, opening } from './external-index.ts';
import { Directory } from './managed-index.ts';

let session: MongoSession;

/** Returns what the sink contract needs of MongoDB, with additional settings. */
export function useMongo(component: Record<string, unknown> = {}) {
  beforeEach(() => {
    session = new MongoSession();
  });
  afterEach(async () => {
    expect((await session.state()).mistakes).toEqual([]);
  });

  const at = (uri: () => string) =>
    opening(mongodb, () => ({
      ...{ db_uri: uri(), db_name: session.name, ...component },
      collection_name: 'shared by all indexes',
    }));
  const openMongo = at(() => session.uri());

  /** Creates an index with a document, and opens it after the store has started to fail. */
  const filled =
    (open: (...index: [string, Directory, number?]) => Sink | Promise<Sink>) => async (silence?: number) => {
      const index = [crypto.randomUUID(), new Directory()] as const;
      await put(openMongo(...index), document('b'), ['text']);
      return open(...index, silence);
    };
  const failing = (fault: MongoFault, usual = 30) =>
    filled(async (indexId, directory, silence = usual) => {
      await session.fail(fault);
      return openMongo(indexId, directory, fault.kind === 'silent' ? silence : usual);
    });
  const answering = (code: number, codeName: string) =>
    failing({ kind: 'answer', answer: { ok: 0, errmsg: `as ${codeName}`, code, codeName } });

  const fixture: SinkFixture = {
    kind: mongodb.kind,
    capabilities: mongodb.capabilities,
    fresh: () => fresh(openMongo),
    failing: {
      401: filled((...index) =>
        at(() => `mongodb://sluice%20owner:wrong@${inject('mongodb').primary}/`)(...index),
      ),
      403: answering(13, 'Unauthorized'),
      404: answering(59, 'CommandNotFound'),
      429: answering(462, 'IngressRequestRateLimitExceeded'),
      500: answering(1, 'InternalError'),
      timeout: failing({ kind: 'silent' }, 0.5),
    },
    keepsDimension: true,
  };
  const losing = () => ({ open: fresh(openMongo), lose: (order: LossOrder) => session.lose(order) });
  return { fixture, losing };
}
