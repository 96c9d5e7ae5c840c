import postgres from 'postgres';
import type { SinkDeps } from '#src/ports/sink.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import { openChannel } from './channel.ts';
import { DatabaseError, toDomainError } from './failures.ts';
import type { PgvectorSettings } from './settings.ts';

export type Row = Record<string, unknown>;
/**
 * Runs SQL. With values, one statement is prepared and receives them as $1, $2 and so on. Without values, the
 * text may contain several statements.
 */
export type RunStatement = (statement: string, values?: (string | number)[]) => Promise<Row[]>;

export interface Database {
  /** Runs `work` in a transaction. All failures become SinkErrors. */
  run<T>(work: (ask: RunStatement) => Promise<T>): Promise<T>;
}

/**
 * Seconds after which an unused connection is closed. The connection belongs to the request that opened it
 * and ends with that request.
 */
const IDLE_SECONDS = 0.5;
/**
 * Share of the time limit after which the server itself cancels a statement, so that the server's own error
 * is reported.
 */
const SERVER_SHARE = 0.9;
/** Maximum duration of a transaction, as a multiple of the time limit of a statement. */
const LONGEST_RUN = 3;
const LARGEST_EF_SEARCH = 1_000;

/**
 * Builds the statements that configure a transaction. The search path contains only the schemas of PostgreSQL
 * and of the extension, so that other schemas cannot replace operators. Without the extension, nothing is
 * changed.
 */
const buildTransactionSetup = (milliseconds: number, efSearch: number) => `
  select set_config('statement_timeout', '${milliseconds}', true), set_config('lock_timeout', '${milliseconds}', true);
  select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true),
    set_config('hnsw.ef_search', '${efSearch}', true),
    case when string_to_array(regexp_replace(e.extversion, '[^0-9.]', '', 'g'), '.')::int[] >= '{0,8}'
      then set_config('hnsw.iterative_scan', 'relaxed_order', true) end
  from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'vector'`;

/**
 * Returns the database for one transaction. `efSearch` is the number of candidates that an HNSW index keeps
 * during a search.
 */
export type OpenDatabase = (efSearch?: number) => Database;

/** Creates a database that connects on first use, with one connection for all running transactions. */
export function createDatabase(settings: PgvectorSettings, deps: Pick<SinkDeps, 'settings'>): OpenDatabase {
  const silence = deps.settings.SILENCE_SECONDS;
  let client: postgres.Sql | undefined;
  let running = 0;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

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
      : toDomainError(cause, settings);

  return (efSearch = 1) => ({
    async run(work) {
      clearTimeout(idleTimer);
      running += 1;
      client ??= createConnection(settings, deps);
      const mine = client;
      const ef = Math.trunc(Math.min(LARGEST_EF_SEARCH, Math.max(1, efSearch)));
      try {
        // The client library runs the transactions of the connection one after the other.
        const inTransaction = async (transaction: postgres.TransactionSql) => {
          const ask: RunStatement = async (statement, values = []) => {
            const result = transaction.unsafe(statement, values).then((rows) => [...rows] as Row[]);
            return withTimeout(result, silence);
          };
          // The result is not awaited yet. The server runs statements in order, so this saves a round trip.
          const set = ask(buildTransactionSetup(Math.ceil(silence * 1000 * SERVER_SHARE), ef));
          set.catch(() => {});
          const result = await work(ask);
          await set;
          return result;
        };
        const done = mine.begin(inTransaction) as ReturnType<typeof inTransaction>;
        return await withTimeout(done, LONGEST_RUN * silence);
      } catch (error) {
        const failed = failure(error);
        // A server that is silent or sends invalid data gets a new connection for the next transaction.
        if (!(error instanceof postgres.PostgresError)) close(mine);
        throw failed;
      } finally {
        running -= 1;
        if (running === 0) idleTimer = setTimeout(() => close(client), IDLE_SECONDS * 1000);
      }
    },
  });
}

function createConnection(
  { host, port, database, user, password }: PgvectorSettings,
  deps: Pick<SinkDeps, 'settings'>,
): postgres.Sql {
  const silence = deps.settings.SILENCE_SECONDS;
  const options = {
    // Opens the socket in place of the client library, which would connect to any address that the name
    // resolves to.
    socket: () => withTimeout(openChannel({ host, port, settings: deps.settings }), silence),
    host,
    port,
    database,
    user,
    password,
    ssl: false as const,
    max: 1,
    // A connection pooler may give each transaction another connection, so prepared statements are not kept.
    prepare: false,
    fetch_types: false,
    connect_timeout: silence,
    onnotice: () => {},
    connection: { application_name: 'sluice' },
  };
  return postgres(options as postgres.Options<Record<string, never>>) as postgres.Sql;
}
