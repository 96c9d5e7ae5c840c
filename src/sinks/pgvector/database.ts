import postgres from 'postgres';
import type { SinkDeps } from '#src/ports/sink.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import { openChannel } from './channel.ts';
import { DatabaseError, failureOf } from './failures.ts';
import type { PgvectorSettings } from './settings.ts';

export type Row = Record<string, unknown>;
/** One statement. With values it is prepared and takes them as $1, $2…; without it may be several. */
export type Ask = (statement: string, values?: (string | number)[]) => Promise<Row[]>;

export interface Database {
  /** Runs `work` in a transaction of its own. Whatever fails is a SinkError. */
  run<T>(work: (ask: Ask) => Promise<T>): Promise<T>;
}

/** So long a connection is kept for the next call. It belongs to the request that opened it, and ends with that. */
const LINGER_SECONDS = 0.5;
/** The server is given a little less than this side waits, so that it tells why itself. */
const SERVER_SHARE = 0.9;
/** A transaction takes so many times the patience for one statement at most. */
const LONGEST_RUN = 3;
const LARGEST_EF_SEARCH = 1_000;

/**
 * What each transaction sets for itself. Nothing is looked up but what PostgreSQL and the extension bring, so that no
 * schema of others can put its own operators in their place; without the extension nothing is changed.
 */
const settingsOf = (milliseconds: number, efSearch: number) => `
  select set_config('statement_timeout', '${milliseconds}', true), set_config('lock_timeout', '${milliseconds}', true);
  select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true),
    set_config('hnsw.ef_search', '${efSearch}', true),
    case when string_to_array(regexp_replace(e.extversion, '[^0-9.]', '', 'g'), '.')::int[] >= '{0,8}'
      then set_config('hnsw.iterative_scan', 'relaxed_order', true) end
  from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'vector'`;

/** `efSearch`: how many candidates an HNSW index keeps while it searches, for this one transaction. */
export type Runs = (efSearch?: number) => Database;

/** A database that is connected to when it is first asked, by one connection, for as long as somebody asks. */
export function databaseOf(settings: PgvectorSettings, deps: Pick<SinkDeps, 'settings'>): Runs {
  const silence = deps.settings.SILENCE_SECONDS;
  let client: postgres.Sql | undefined;
  let running = 0;
  let linger: ReturnType<typeof setTimeout> | undefined;

  const close = (one: postgres.Sql | undefined) => {
    if (client === one) client = undefined;
    void one?.end({ timeout: 0 }).catch(() => {});
  };
  const failure = (cause: unknown) =>
    cause instanceof TimedOut
      ? new DatabaseError(`did not answer within ${Math.ceil(silence)} s.`, {
          retryable: true,
          field: 'host',
        })
      : failureOf(cause, settings);

  return (efSearch = 1) => ({
    async run(work) {
      clearTimeout(linger);
      running += 1;
      client ??= connectionTo(settings, deps);
      const mine = client;
      const ef = Math.trunc(Math.min(LARGEST_EF_SEARCH, Math.max(1, efSearch)));
      try {
        // The library runs one transaction of the connection after the other.
        const inTransaction = async (transaction: postgres.TransactionSql) => {
          const ask: Ask = async (statement, values = []) => {
            const asked = transaction.unsafe(statement, values).then((rows) => [...rows] as Row[]);
            return withTimeout(asked, silence);
          };
          // Not waited for: the server takes one after the other, and a round trip is saved.
          const set = ask(settingsOf(Math.ceil(silence * 1000 * SERVER_SHARE), ef));
          set.catch(() => {});
          const result = await work(ask);
          await set;
          return result;
        };
        const done = mine.begin(inTransaction) as ReturnType<typeof inTransaction>;
        return await withTimeout(done, LONGEST_RUN * silence);
      } catch (error) {
        const failed = failure(error);
        // What is silent or confused is not asked again.
        if (!(error instanceof postgres.PostgresError)) close(mine);
        throw failed;
      } finally {
        running -= 1;
        if (running === 0) linger = setTimeout(() => close(client), LINGER_SECONDS * 1000);
      }
    },
  });
}

function connectionTo(
  { host, port, database, user, password }: PgvectorSettings,
  deps: Pick<SinkDeps, 'settings'>,
): postgres.Sql {
  const silence = deps.settings.SILENCE_SECONDS;
  const options = {
    // Opens the connection in place of the library, which would connect to whatever the name says.
    socket: () => withTimeout(openChannel({ host, port, settings: deps.settings }), silence),
    host,
    port,
    database,
    user,
    password,
    ssl: false as const,
    max: 1,
    // A pooler between may give each transaction another connection, so none is prepared for longer than its call.
    prepare: false,
    fetch_types: false,
    connect_timeout: silence,
    onnotice: () => {},
    connection: { application_name: 'sluice' },
  };
  return postgres(options as postgres.Options<Record<string, never>>) as postgres.Sql;
}
