import { z } from 'zod';
import { readMigrations } from '../migrations/landed.ts';
import { judgeSchema, readRecordedMigrations, type SchemaState } from '../migrations/schema-state.ts';
import { readShape, type Select } from '../migrations/shape.ts';
import { type DesiredState, ROLES, type WorkerRole } from './configs.ts';
import type { Platform } from './platform.ts';

/** Resources of an installation that already exist in the Cloudflare account. */
export interface Existing {
  subdomain: string | undefined;
  database: string | undefined;
  buckets: Set<string>;
  queues: Map<string, string>;
  /** Number of dimensions of each existing Vectorize index, by index name. */
  indexes: Map<string, number>;
  /** Names of the secrets that each existing Worker has. */
  workers: Map<WorkerRole, Set<string>>;
  /** Applied database migrations, in the order in which they were applied. */
  migrations: string[];
  /** Result of comparing the database with the migrations of this release. */
  schema: SchemaState;
  /** Tag of the last migration of the service's Durable Object classes. */
  classes: string | undefined;
}

const named = z.looseObject({ name: z.string() });
const queueSchema = z.looseObject({ queue_id: z.string(), queue_name: z.string() });
const indexSchema = z.looseObject({ config: z.looseObject({ dimensions: z.number() }) });
const serviceSchema = z.looseObject({
  default_environment: z.looseObject({ script: z.looseObject({ migration_tag: z.string().nullish() }) }),
});
const rowsSchema = z.array(z.looseObject({ results: z.array(z.record(z.string(), z.unknown())).optional() }));

/**
 * Reads the resources of an account without changing anything. A token without permissions fails here, before
 * anything is created.
 */
export async function readExisting(
  platform: Platform,
  account: string,
  wanted: DesiredState,
): Promise<Existing> {
  const at = `/accounts/${account}`;
  const subdomain = await platform.find(`${at}/workers/subdomain`, z.looseObject({ subdomain: z.string() }));
  const workers = new Map<WorkerRole, Set<string>>();
  for (const role of ROLES) {
    const path = `${at}/workers/scripts/${wanted.configs[role].name}/secrets`;
    const secrets = await platform.find(path, z.array(named));
    if (secrets) workers.set(role, new Set(secrets.map(({ name }) => name)));
  }
  // Wrangler uses the same request to find the class migrations that an upload needs.
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
  const migrations = await readRecordedMigrations(select);
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

/** Returns a function that runs SELECT statements on a D1 database through Cloudflare's API. */
const selectFrom =
  (platform: Platform, path: string): Select =>
  async (sql) => {
    const [answer] = await platform.send('POST', path, { sql }, rowsSchema);
    return answer?.results ?? [];
  };

/** Returns no rows. Replaces the query function for a database that does not exist yet. */
const selectNothing: Select = async () => [];
