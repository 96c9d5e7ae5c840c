import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import type { Installation } from './installation.ts';

/**
 * Prefix of all names in the production section of each wrangler.toml. It is replaced by the name of the
 * installation.
 */
const PLACEHOLDER = 'sluice-production';

/** Workers in the order of deployment. Each Worker has a binding to the previous one. */
export const WORKERS = {
  ocr: 'ocr/wrangler.toml',
  parser: 'parser/wrangler.toml',
  service: 'wrangler.toml',
} as const;
export type WorkerRole = keyof typeof WORKERS;
export const ROLES: readonly WorkerRole[] = ['ocr', 'parser', 'service'];

const classMigrationSchema = z.looseObject({ tag: z.string() });
/**
 * Migration of Durable Object classes in wrangler.toml: a tag, and the classes that are created, renamed or
 * deleted.
 */
export type ClassMigration = z.infer<typeof classMigrationSchema>;

/** Settings of a Worker that a deployment reads or changes. All other settings are passed on unchanged. */
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

const membersSchema = z.record(z.string(), z.unknown());
/** Contents of a wrangler.toml file, as far as they are the same in each file. */
const rawConfigSchema = z.looseObject({
  env: z.looseObject({ production: membersSchema }),
  dev: z.unknown().optional(),
});

/** Cloudflare resources and Worker configurations that an installation should have. */
export interface DesiredState {
  configs: Record<WorkerRole, WorkerConfig>;
  database: string;
  /** Path of the folder with the D1 migrations. */
  migrations: string;
  buckets: string[];
  queues: string[];
  /** Number of dimensions of each Vectorize index, by index name. */
  indexes: Map<string, number>;
}

const bucketName = ({ bucket_name }: { bucket_name: string }) => bucket_name;

/**
 * Builds the configurations and resource names of an installation from the production sections of all
 * wrangler.toml files.
 */
export function buildDesiredState(installation: Installation): DesiredState {
  const buildFor = (role: WorkerRole) => buildConfig(role, installation);
  const configs = { ocr: buildFor('ocr'), parser: buildFor('parser'), service: buildFor('service') };
  const { d1_databases, queues } = configs.service;
  const { database_name: database, migrations_dir: migrations } = d1_databases![0]!;
  return {
    configs,
    database,
    migrations,
    buckets: [...new Set(ROLES.flatMap((role) => configs[role].r2_buckets ?? []).map(bucketName))],
    queues: queues!.producers.map(({ queue }) => queue),
    indexes: new Map(getDimensions(installation).map((count) => [indexName(installation, count), count])),
  };
}

/**
 * Builds a Worker's configuration without environments. The production section, with the names of the
 * installation, overrides the top level. Paths become absolute, because the configuration is written to
 * another folder.
 */
function buildConfig(role: WorkerRole, installation: Installation): WorkerConfig {
  const file = WORKERS[role];
  const { env, dev: _, ...top } = rawConfigSchema.parse(parse(readFileSync(file, 'utf8')));
  const production = replacePlaceholder(env.production, installation.name);
  const config = configSchema.parse({ ...top, ...membersSchema.parse(production) });
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
    vars: { ...config.vars, ...buildVariables(role, installation) },
    ...(role === 'service' && buildRoutes(installation)),
  };
}

function buildVariables(role: WorkerRole, { url, url_chosen, domain, variables }: Installation) {
  if (role === 'ocr') return {};
  const own = variables?.[role] ?? {};
  if (role === 'parser') return own;
  // PUBLIC_URL is set only for a proxy or a custom domain. On workers.dev, only the Worker's own host leads
  // to it, so the URL of each request is already the public one.
  const origin = url_chosen ? url : domain && `https://${domain}`;
  // Cloudflare overwrites the header CF-Connecting-IP, so the Worker can trust the client address in the
  // header.
  return { TRUSTED_PROXY: 'cloudflare', ...(origin && { PUBLIC_URL: origin }), ...own };
}

function buildRoutes(installation: Installation) {
  const { domain } = installation;
  const vectorize = getDimensions(installation).map((count) => ({
    binding: `VECTORIZE_${count}`,
    index_name: indexName(installation, count),
  }));
  return {
    workers_dev: !domain,
    ...(domain && { routes: [{ pattern: domain, custom_domain: true }] }),
    ...(vectorize.length > 0 && { vectorize }),
  };
}

const getDimensions = ({ vectorize }: Installation) => (vectorize ?? []).toSorted((a, b) => a - b);
const indexName = ({ name }: Installation, dimensions: number) => `${name}-${dimensions}`;

/**
 * Replaces the placeholder of the installation's name in every text that begins with the placeholder, at any
 * depth.
 */
function replacePlaceholder(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    return value.startsWith(PLACEHOLDER) ? name + value.slice(PLACEHOLDER.length) : value;
  }
  if (Array.isArray(value)) return value.map((item) => replacePlaceholder(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replacePlaceholder(item, name)]),
  );
}

/** Writes the configurations for wrangler to dist/deploy/<name>/<role>.json. */
export function writeConfigs({ configs }: DesiredState): Record<WorkerRole, string> {
  const folder = join('dist', 'deploy', configs.service.name);
  mkdirSync(folder, { recursive: true });
  const write = (role: WorkerRole) => {
    const file = resolve(folder, `${role}.json`);
    writeFileSync(file, `${JSON.stringify(configs[role], null, 2)}\n`);
    return file;
  };
  return { ocr: write('ocr'), parser: write('parser'), service: write('service') };
}
