import type { Db, MongoClient } from 'mongodb';
import { z } from 'zod';
import type { SinkDeps } from '#src/ports/sink.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { addressOf, type MongoAddress } from './address.ts';
import { openClient } from './client.ts';
import { codeOf, failureOf, isConnectionLost, refused } from './failure.ts';
import { type Found, hostsAt } from './hosts.ts';

export interface MongoSettings {
  db_uri: string;
  db_name: string;
  collection_name: string;
  vector_index_name?: string | null | undefined;
  fulltext_index_name?: string | null | undefined;
  embedding_dimension?: number | null | undefined;
}

export interface MongoConnection {
  /** Does some work with the database. `what`: as errors name it. Throws SinkError. */
  run<T>(what: string, work: (db: Db) => Promise<T>): Promise<T>;
}

/** How long a connection outlives its last use: the steps of one document come close together. */
const IDLE_MILLISECONDS = 1000;

const greeting = z.object({
  isWritablePrimary: z.boolean(),
  primary: z.string().optional().catch(undefined),
});

/**
 * The database of some settings. Opened when it is first used and closed a moment after the last use, so nothing is left
 * open in an isolate that lives on; a request that ends earlier takes its sockets with it.
 */
export function mongoConnection(
  settings: MongoSettings,
  deps: Pick<SinkDeps, 'settings'>,
  find: (address: MongoAddress, settings: SinkDeps['settings']) => Promise<Found> = hostsAt,
): MongoConnection {
  const silence = deps.settings.SILENCE_SECONDS;
  let client: Promise<MongoClient> | undefined;
  let users = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;

  const close = (closing: Promise<MongoClient> | undefined) => {
    if (client === closing) client = undefined;
    closing?.then(quietlyClosed, () => {});
  };
  return {
    async run(what, work) {
      let secrets = [settings.db_uri];
      let mine: Promise<MongoClient> | undefined;
      users += 1;
      clearTimeout(idle);
      try {
        const address = addressOf(settings.db_uri);
        secrets = address.secrets;
        client ??= find(address, deps.settings).then((found) =>
          primaryOf(address, found, settings.db_name, silence),
        );
        mine = client;
        return await withTimeout(work((await mine).db(settings.db_name)), silence);
      } catch (error) {
        if (isConnectionLost(error) || !(await isOpen(mine))) close(mine);
        throw failureOf(error, what, secrets);
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

function quietlyClosed(client: MongoClient): void {
  client.close().catch(() => {});
}

/** Connects to one host after another until one says that it is the primary; what it says who is, is tried next. */
async function primaryOf(
  address: MongoAddress,
  found: Found,
  database: string,
  silence: number,
): Promise<MongoClient> {
  const end = Date.now() + silence * 1000;
  const left = [...found.hosts];
  let failure: unknown = refused('None of the hosts of db_uri is the primary.', true);
  while (left.length > 0) {
    const milliseconds = Math.max(1, end - Date.now()) / left.length;
    const host = left.shift()!;
    const client = await openClient(address, found, host, milliseconds);
    try {
      const said = await withTimeout(client.db(database).command({ hello: 1 }), milliseconds / 1000);
      const { isWritablePrimary, primary } = greeting.parse(said);
      if (isWritablePrimary || address.options.isDirect) return client;
      const named = left.findIndex(({ name, port }) => `${name}:${port}` === primary?.toLowerCase());
      if (named > 0) left.unshift(...left.splice(named, 1));
    } catch (error) {
      failure = error;
      // A refusal is the same from all of them.
      if (codeOf(error) !== undefined && !isConnectionLost(error)) left.length = 0;
    }
    quietlyClosed(client);
  }
  throw failure;
}
