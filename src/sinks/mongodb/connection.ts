import type { Db, MongoClient } from 'mongodb';
import { z } from 'zod';
import type { SinkDeps } from '#src/ports/sink.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { type MongoAddress, parseMongoUri } from './address.ts';
import { createClient } from './client.ts';
import { createError, getErrorCode, isConnectionLost, toSinkError } from './failure.ts';
import { type Found, findHosts } from './hosts.ts';
import type { SearchIndexes } from './index-layout.ts';

export interface MongoSettings {
  db_uri: string;
  db_name: string;
  collection_name: string;
  vector_index_name?: string | null | undefined;
  fulltext_index_name?: string | null | undefined;
  embedding_dimension?: number | null | undefined;
  native_search?: boolean | null | undefined;
}

/** Returns the names of the search indexes. An index that carries the whole search needs both of them. */
export function getIndexNames({
  vector_index_name,
  fulltext_index_name,
  native_search,
}: MongoSettings): SearchIndexes {
  const areNative = native_search === true;
  return {
    vector: vector_index_name || 'vector_index',
    text: fulltext_index_name || (areNative ? 'words_index' : undefined),
    areNative,
  };
}

export interface MongoConnection {
  /** Runs `work` with the database. `what` describes the work in error messages. Rejects with SinkError. */
  run<T>(what: string, work: (db: Db) => Promise<T>): Promise<T>;
}

/**
 * Time in milliseconds after which an unused connection is closed. The calls for one document follow each
 * other more closely.
 */
const IDLE_MILLISECONDS = 1000;

const greeting = z.object({
  isWritablePrimary: z.boolean(),
  primary: z.string().optional().catch(undefined),
});

/**
 * Creates a connection to the configured database. It opens on first use and closes shortly after the last
 * use, or when the request that opened it ends.
 */
export function createMongoConnection(
  settings: MongoSettings,
  deps: Pick<SinkDeps, 'settings'>,
  find: (address: MongoAddress, settings: SinkDeps['settings']) => Promise<Found> = findHosts,
): MongoConnection {
  const silence = deps.settings.SILENCE_SECONDS;
  let client: Promise<MongoClient> | undefined;
  let users = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;

  const close = (closing: Promise<MongoClient> | undefined) => {
    if (client === closing) client = undefined;
    closing?.then(closeQuietly, () => {});
  };
  return {
    async run(what, work) {
      let secrets = [settings.db_uri];
      let mine: Promise<MongoClient> | undefined;
      users += 1;
      clearTimeout(idle);
      try {
        const address = parseMongoUri(settings.db_uri);
        secrets = address.secrets;
        client ??= find(address, deps.settings).then((found) =>
          connectToPrimary(address, found, settings.db_name, silence),
        );
        mine = client;
        return await withTimeout(work((await mine).db(settings.db_name)), silence);
      } catch (error) {
        if (isConnectionLost(error) || !(await isOpen(mine))) close(mine);
        throw toSinkError(error, what, secrets);
      } finally {
        users -= 1;
        if (users === 0) idle = setTimeout(() => close(client), IDLE_MILLISECONDS);
      }
    },
  };
}

const isOpen = (client: Promise<MongoClient> | undefined) =>
  client?.then(
    () => true,
    () => false,
  );

function closeQuietly(client: MongoClient): void {
  client.close().catch(() => {});
}

/**
 * Connects to one host after another until one of them is the primary, which accepts writes. If a host names
 * the primary, tries that host next.
 */
async function connectToPrimary(
  address: MongoAddress,
  found: Found,
  database: string,
  silence: number,
): Promise<MongoClient> {
  const end = Date.now() + silence * 1000;
  const left = [...found.hosts];
  let failure: unknown = createError('None of the hosts in db_uri is the primary.', true);
  while (left.length > 0) {
    const milliseconds = Math.max(1, end - Date.now()) / left.length;
    const host = left.shift()!;
    const client = await createClient(address, found, host, milliseconds);
    try {
      const hello = await withTimeout(client.db(database).command({ hello: 1 }), milliseconds / 1000);
      const { isWritablePrimary, primary } = greeting.parse(hello);
      if (isWritablePrimary || address.options.isDirect) return client;
      const named = left.findIndex(({ name, port }) => `${name}:${port}` === primary?.toLowerCase());
      if (named > 0) left.unshift(...left.splice(named, 1));
    } catch (error) {
      failure = error;
      // An error such as a wrong password would be the same on all hosts, so no other host is tried.
      if (getErrorCode(error) !== undefined && !isConnectionLost(error)) left.length = 0;
    }
    closeQuietly(client);
  }
  throw failure;
}
