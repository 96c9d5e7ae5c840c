import { z } from 'zod';
import { readMigrations } from '../migrations/landed.ts';
import { judgeSchema, readRecorded, type SchemaState } from '../migrations/schema-state.ts';
import { readShape, type Select } from '../migrations/shape.ts';
import { ROLES, type Wanted, type WorkerRole } from './configs.ts';
import type { Platform } from './platform.ts';

/** What an account has of an installation. */
export interface Existing {
  subdomain: string | undefined;
  database: string | undefined;
  buckets: Set<string>;
  /** Name -> id. */
  queues: Map<string, string>;
  /** Name -> dimensions. */
  indexes: Map<string, number>;
  /** The names of the secrets of each Worker that there is. */
  workers: Map<WorkerRole, Set<string>>;
  /** Of the database, in the order in which they were applied. */
  migrations: string[];
  /** How the tables of the database relate to the migrations of this release. */
  schema: SchemaState;
  /** The tag of the last migration of the service's classes of objects. */
  classes: string | undefined;
}

const named = z.looseObject({ name: z.string() });
const queueSchema = z.looseObject({ queue_id: z.string(), queue_name: z.string() });
const indexSchema = z.looseObject({ config: z.looseObject({ dimensions: z.number() }) });
const serviceSchema = z.looseObject({
  default_environment: z.looseObject({ script: z.looseObject({ migration_tag: z.string().nullish() }) }),
});
const rowsSchema = z.array(z.looseObject({ results: z.array(z.record(z.string(), z.unknown())).optional() }));

/** Asks, and writes nothing. A token without the right to ask is refused here, before anything has been made. */
export async function existingOf(platform: Platform, account: string, wanted: Wanted): Promise<Existing> {
  const at = `/accounts/${account}`;
  const subdomain = await platform.find(`${at}/workers/subdomain`, z.looseObject({ subdomain: z.string() }));
  const workers = new Map<WorkerRole, Set<string>>();
  for (const role of ROLES) {
    const path = `${at}/workers/scripts/${wanted.configs[role].name}/secrets`;
    const secrets = await platform.find(path, z.array(named));
    if (secrets) workers.set(role, new Set(secrets.map(({ name }) => name)));
  }
  // Wrangler asks the same to know which migrations an upload has to make.
  const service = await platform.find(`${at}/workers/services/${wanted.configs.service.name}`, serviceSchema);
  const databases = await platform.list(
    `${at}/d1/database?name=${wanted.database}`,
    z.looseObject({ uuid: z.string(), name: z.string() }),
  );
  const database = databases.find(({ name }) => name === wanted.database)?.uuid;
  const buckets = new Set<string>();
  for (const name of wanted.buckets) {
    if (await platform.find(`${at}/r2/buckets/${name}`, named)) buckets.add(name);
  }
  const queues = await platform.list(`${at}/queues`, queueSchema);
  const indexes = new Map<string, number>();
  for (const name of wanted.indexes.keys()) {
    const index = await platform.find(`${at}/vectorize/v2/indexes/${name}`, indexSchema);
    if (index) indexes.set(name, index.config.dimensions);
  }
  const select = database ? selectFrom(platform, `${at}/d1/database/${database}/query`) : selectNothing;
  const migrations = await readRecorded(select);
  return {
    subdomain: subdomain?.subdomain,
    database,
    buckets,
    queues: new Map(
      queues
        .filter(({ queue_name }) => wanted.queues.includes(queue_name))
        .map(({ queue_id, queue_name }) => [queue_name, queue_id]),
    ),
    indexes,
    workers,
    migrations,
    schema: await judgeSchema(migrations, await readShape(select), readMigrations(wanted.migrations)),
    classes: service?.default_environment.script.migration_tag ?? undefined,
  };
}

/** Returns a function that runs SELECT statements on a D1 database through the platform's API. */
const selectFrom =
  (platform: Platform, path: string): Select =>
  async (sql) => {
    const [answer] = await platform.send('POST', path, { sql }, rowsSchema);
    return answer?.results ?? [];
  };

/** Answers for a database that does not exist yet. */
const selectNothing: Select = async () => [];
