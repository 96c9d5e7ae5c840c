import postgres from 'postgres';
import type { SinkDeps } from '#src/ports/sink.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import { openChannel } from './channel.ts';
import { DatabaseError, toDomainError } from './failures.ts';
import type { PgvectorSettings } from './settings.ts';

export type Row = Record<string, unknown>;
/**
 * Runs SQL. With values, runs one prepared statement that receives them as $1, $2 and so on. Without values,
 * the text may contain several statements.
 */
export type RunStatement = (statement: string, values?: (string | number)[]) => Promise<Row[]>;

export interface TransactionOptions {
  /** Whether the transaction only reads, and all of its statements see the same state of the database. */
  isSnapshot?: boolean;
}

export interface Database {
  /** Runs `work` in a transaction. Rejects with SinkError if anything fails. */
  run<T>(work: (ask: RunStatement) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/**
 * Time in seconds after which an unused connection is closed. It ends earlier if the request that opened it
 * ends.
 */
const IDLE_SECONDS = 0.5;
/**
 * Share of the time limit after which the server itself cancels a statement. The server's own error can then
 * be reported.
 */
const SERVER_SHARE = 0.9;
/** Maximum duration of a transaction, as a multiple of the time limit of a statement. */
const LONGEST_RUN = 3;
const LARGEST_EF_SEARCH = 1_000;

/**
 * Builds the SQL that configures a transaction. The search path contains only the schemas of PostgreSQL and
 * of the pgvector extension, so that other schemas cannot replace operators.
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
 * Returns the database for one transaction. `efSearch` is the number of candidates that an HNSW index
 * considers in a search.
 */
export type OpenDatabase = (efSearch?: number) => Database;

/** Creates a database client that connects on first use. All running transactions share one connection. */
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
    async run(work, { isSnapshot = false } = {}) {
      clearTimeout(idleTimer);
      running += 1;
      client ??= createConnection(settings, deps);
      const mine = client;
      const ef = Math.trunc(Math.min(LARGEST_EF_SEARCH, Math.max(1, efSearch)));
      try {
        const inTransaction = async (transaction: postgres.TransactionSql) => {
          const ask: RunStatement = async (statement, values = []) => {
            const result = transaction.unsafe(statement, values).then((rows) => [...rows] as Row[]);
            return withTimeout(result, silence);
          };
          // The configuration is not awaited before the work starts, which saves a round trip. The server
          // runs statements in order.
          const set = ask(buildTransactionSetup(Math.ceil(silence * 1000 * SERVER_SHARE), ef));
          set.catch(() => {});
          const result = await work(ask);
          await set;
          return result;
        };
        const mode = isSnapshot ? 'isolation level repeatable read read only' : '';
        const done = mine.begin(mode, inTransaction) as ReturnType<typeof inTransaction>;
        return await withTimeout(done, LONGEST_RUN * silence);
      } catch (error) {
        const failed = failure(error);
        // If the server was silent or sent invalid data, the connection is closed, and the next transaction
        // opens a new one.
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
    // Opens the socket in place of the client library, which would connect to unverified addresses.
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
