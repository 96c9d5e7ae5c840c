import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { experimental_readRawConfig } from 'wrangler';
import { z } from 'zod';
import type { Installation } from './installation.ts';

/** What the names of the production part of each wrangler.toml begin with; an installation's name takes its place. */
const PLACEHOLDER = 'sluice-production';

/** In the order in which they are deployed: each is bound to the one before. */
export const WORKERS = {
  ocr: 'ocr/wrangler.toml',
  parser: 'parser/wrangler.toml',
  service: 'wrangler.toml',
} as const;
export type WorkerRole = keyof typeof WORKERS;
export const ROLES: readonly WorkerRole[] = ['ocr', 'parser', 'service'];

const classMigrationSchema = z.looseObject({ tag: z.string() });
/** A change of the objects' classes: its tag, and what is made, renamed or deleted. */
export type ClassMigration = z.infer<typeof classMigrationSchema>;

/** The members that a deployment reads or changes; all others go through as they are. */
const configSchema = z.looseObject({
  name: z.string(),
  main: z.string(),
  assets: z.looseObject({ directory: z.string() }).optional(),
  alias: z.record(z.string(), z.string()).optional(),
  vars: z.record(z.string(), z.unknown()).optional(),
  queues: z.looseObject({ producers: z.array(z.looseObject({ queue: z.string() })) }).optional(),
  d1_databases: z
    .array(z.looseObject({ database_name: z.string(), database_id: z.string(), migrations_dir: z.string() }))
    .optional(),
  r2_buckets: z.array(z.looseObject({ bucket_name: z.string() })).optional(),
  migrations: z.array(classMigrationSchema).optional(),
});
export type WorkerConfig = z.infer<typeof configSchema>;

/** What an installation consists of. */
export interface Wanted {
  configs: Record<WorkerRole, WorkerConfig>;
  database: string;
  /** The folder of the migrations. */
  migrations: string;
  buckets: string[];
  queues: string[];
  /** Name -> dimensions. */
  indexes: Map<string, number>;
}

const bucketName = ({ bucket_name }: { bucket_name: string }) => bucket_name;

/** The parts of an installation, from the production part of each wrangler.toml. */
export function wantedBy(installation: Installation): Wanted {
  const configOf = (role: WorkerRole) => configFor(role, installation);
  const configs = { ocr: configOf('ocr'), parser: configOf('parser'), service: configOf('service') };
  const { d1_databases, queues } = configs.service;
  const { database_name: database, migrations_dir: migrations } = d1_databases![0]!;
  return {
    configs,
    database,
    migrations,
    buckets: [...new Set(ROLES.flatMap((role) => configs[role].r2_buckets ?? []).map(bucketName))],
    queues: queues!.producers.map(({ queue }) => queue),
    indexes: new Map(dimensionsOf(installation).map((count) => [indexName(installation, count), count])),
  };
}

/**
 * One Worker's configuration without environments: what stands at the top, under it the production part with the
 * installation's names, and every path absolute, since it is written elsewhere.
 */
function configFor(role: WorkerRole, installation: Installation): WorkerConfig {
  const file = WORKERS[role];
  const { rawConfig } = experimental_readRawConfig({ config: file });
  const { env, dev: _, ...top } = rawConfig;
  const production = renamed(env?.production, installation.name);
  const config = configSchema.parse({ ...top, ...z.record(z.string(), z.unknown()).parse(production) });
  const at = (path: string) => resolve(dirname(file), path);
  const { alias, assets, d1_databases } = config;
  return {
    ...config,
    account_id: installation.account_id,
    main: at(config.main),
    ...(assets && { assets: { ...assets, directory: at(assets.directory) } }),
    ...(alias && { alias: Object.fromEntries(Object.entries(alias).map(([name, to]) => [name, at(to)])) }),
    ...(d1_databases && {
      d1_databases: d1_databases.map((database) => ({
        ...database,
        migrations_dir: at(database.migrations_dir),
        ...(installation.database_id && { database_id: installation.database_id }),
      })),
    }),
    vars: { ...config.vars, ...variablesOf(role, installation) },
    ...(role === 'service' && reachedBy(installation)),
  };
}

function variablesOf(role: WorkerRole, { url, url_chosen, domain, variables }: Installation) {
  if (role === 'ocr') return {};
  const own = variables?.[role] ?? {};
  if (role === 'parser') return own;
  // Under workers.dev only the Worker's own host reaches it; a proxy or a domain of one's own is said.
  const origin = url_chosen ? url : domain && `https://${domain}`;
  // Cloudflare replaces CF-Connecting-IP, so the Worker may take the client's address from this header.
  return { TRUSTED_PROXY: 'cloudflare', ...(origin && { PUBLIC_URL: origin }), ...own };
}

function reachedBy(installation: Installation) {
  const { domain } = installation;
  const vectorize = dimensionsOf(installation).map((count) => ({
    binding: `VECTORIZE_${count}`,
    index_name: indexName(installation, count),
  }));
  return {
    workers_dev: !domain,
    ...(domain && { routes: [{ pattern: domain, custom_domain: true }] }),
    ...(vectorize.length > 0 && { vectorize }),
  };
}

const dimensionsOf = ({ vectorize }: Installation) => (vectorize ?? []).toSorted((a, b) => a - b);
const indexName = ({ name }: Installation, dimensions: number) => `${name}-${dimensions}`;

/** Every text that begins with the placeholder, at any depth. */
function renamed(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    return value.startsWith(PLACEHOLDER) ? name + value.slice(PLACEHOLDER.length) : value;
  }
  if (Array.isArray(value)) return value.map((item) => renamed(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamed(item, name)]));
}

/** Writes them for wrangler: dist/deploy/<name>/<role>.json. */
export function writeConfigs({ configs }: Wanted): Record<WorkerRole, string> {
  const folder = join('dist', 'deploy', configs.service.name);
  mkdirSync(folder, { recursive: true });
  const write = (role: WorkerRole) => {
    const file = resolve(folder, `${role}.json`);
    writeFileSync(file, `${JSON.stringify(configs[role], null, 2)}\n`);
    return file;
  };
  return { ocr: write('ocr'), parser: write('parser'), service: write('service') };
}
