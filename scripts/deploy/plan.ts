import { type ClassMigration, type DesiredState, ROLES, type WorkerRole } from './configs.ts';
import type { Existing } from './existing.ts';
import type { Installation } from './installation.ts';

/** Secrets that are generated once at random and stored only by Cloudflare. */
export const SECRETS = ['SESSION_SECRET', 'ENCRYPTION_KEY', 'BOOTSTRAP_API_KEY'] as const;
export type SecretName = (typeof SECRETS)[number];

/** Changes that a deployment would make to the Cloudflare account. */
export interface Plan {
  subdomain: boolean;
  database: boolean;
  buckets: string[];
  queues: string[];
  /** Name and number of dimensions of each Vectorize index to create. */
  indexes: [string, number][];
  /** File names of the database migrations to apply, in order. */
  migrations: string[];
  /**
   * Pending migrations of the Durable Object classes, in order. Empty if no class exists yet, because the
   * first upload contains all of them.
   */
  classes: ClassMigration[];
  secrets: SecretName[];
  /** Workers to upload, in the order in which they are uploaded. */
  uploads: WorkerRole[];
}

export interface Facts {
  wanted: DesiredState;
  existing: Existing;
  /** Contents of the installation file. `undefined` if no installation was deployed from this folder. */
  known: Installation | undefined;
  /** Names of this release's database migration files, in order. */
  migrations: readonly string[];
  /**
   * Hash of each Worker's upload, to detect unchanged Workers. Workers that are uploaded in any case have no
   * hash here.
   */
  hashes: Partial<Record<WorkerRole, string>>;
}

export interface DeployFlags {
  /**
   * True to take over existing resources that have the same names and are missing from the installation file.
   */
  adopt: boolean;
  /** True to upload all Workers, even if they are up to date. */
  force: boolean;
  /** True to generate new secrets in place of those that an earlier run had set and that are missing now. */
  newSecrets: boolean;
  /** True to deploy a release that does not know all migrations of the database. */
  olderRelease: boolean;
}

/** Compares the account with the desired state. Sends no requests. */
export function createPlan(
  { wanted, existing, known, migrations, hashes }: Facts,
  wishes: DeployFlags,
): Plan {
  const isCurrent = (role: WorkerRole) =>
    hashes[role] !== undefined && hashes[role] === known?.workers?.[wanted.configs[role].name];
  return {
    subdomain: existing.subdomain === undefined && wanted.configs.service.workers_dev === true,
    database: existing.database === undefined,
    buckets: wanted.buckets.filter((name) => !existing.buckets.has(name)),
    queues: wanted.queues.filter((name) => !existing.queues.has(name)),
    indexes: [...wanted.indexes].filter(([name]) => !existing.indexes.has(name)),
    migrations: migrations.filter((name) => !existing.migrations.includes(name)),
    classes: newClasses(wanted, existing),
    secrets: listMissingSecrets(existing),
    uploads: ROLES.filter((role) => mustUpload(role, existing, wishes) || !isCurrent(role)),
  };
}

/** Returns whether a Worker is uploaded even if its hash shows that it is up to date. */
export const mustUpload = (role: WorkerRole, existing: Existing, wishes: DeployFlags): boolean =>
  wishes.force ||
  !existing.workers.has(role) ||
  (role === 'service' && listMissingSecrets(existing).length > 0);

const listMissingSecrets = ({ workers }: Existing): SecretName[] =>
  SECRETS.filter((name) => !workers.get('service')?.has(name));

function newClasses({ configs }: DesiredState, { classes }: Existing): ClassMigration[] {
  const all = configs.service.migrations ?? [];
  const last = all.findIndex(({ tag }) => tag === classes);
  return last < 0 ? [] : all.slice(last + 1);
}

/** Lists the reasons against deploying. Each case would lose data or take over someone else's resources. */
export function listRefusals(
  { wanted, existing, known, migrations }: Omit<Facts, 'hashes'>,
  wishes: DeployFlags,
): string[] {
  const secrets = listMissingSecrets(existing);
  const { service } = wanted.configs;
  const refusals: string[] = [];
  const taken = takenNames(wanted, existing);
  if (!known && !wishes.adopt && taken) refusals.push(taken);
  if (known?.database_id !== undefined && existing.database !== known.database_id) {
    refusals.push(
      `The database of this installation (${known.database_id}) does not exist any more, or another database has its name ${wanted.database}. Restore the database, or remove database_id from the installation file to start with an empty database.`,
    );
  }
  if (known?.secrets_set && secrets.length > 0 && !wishes.newSecrets) {
    refusals.push(
      `Secrets of the Worker ${service.name} that an earlier run set are missing: ${secrets.join(', ')}. Set them again with npx wrangler secret put <secret> --name ${service.name}. --new-secrets creates new ones instead, but data encrypted with another ENCRYPTION_KEY then cannot be decrypted.`,
    );
  }
  const later = existing.migrations.filter((name) => !migrations.includes(name));
  if (later.length > 0 && !wishes.olderRelease) {
    refusals.push(
      `The database has migrations that this release does not know (${later.join(', ')}), so a later release is deployed. --older-release deploys this release anyway. First read in docs/how-to/upgrade.md whether it can still use the data.`,
    );
  }
  if (existing.schema.kind === 'unknown') {
    refusals.push(
      `The tables of the database ${wanted.database} do not match its recorded migrations: ${existing.schema.difference}. A checkout between two releases may have deployed it. Nothing was changed. Deploy the version that created it and make a backup (npm run backup). Then deploy this release under another --name and restore the backup there (npm run restore).`,
    );
  }
  const { classes } = existing;
  if (classes !== undefined && !service.migrations?.some(({ tag }) => tag === classes)) {
    refusals.push(
      `The Worker ${service.name} has Durable Object classes of the migration ${classes}, which this release does not know, so a later release is deployed. Cloudflare rejects a Worker without these classes. A rollback to this release is not possible.`,
    );
  }
  for (const [name, count] of wanted.indexes) {
    const real = existing.indexes.get(name) ?? count;
    if (real !== count)
      refusals.push(
        `The Vectorize index ${name} has ${real} dimensions instead of ${count}. Delete the index, or use another --name.`,
      );
  }
  return refusals;
}

function takenNames(wanted: DesiredState, existing: Existing): string | undefined {
  const taken = [
    ...[...existing.workers.keys()].map((role) => `Worker ${wanted.configs[role].name}`),
    existing.database !== undefined && `database ${wanted.database}`,
    ...[...existing.buckets].map((name) => `bucket ${name}`),
    ...[...existing.queues.keys()].map((name) => `queue ${name}`),
    ...[...existing.indexes.keys()].map((name) => `index ${name}`),
  ].filter(Boolean);
  if (taken.length === 0) return undefined;
  return `The account already has resources with these names, and no installation file lists them: ${taken.join(', ')}. Choose another --name, or use --adopt to take them over.`;
}

/** Describes each planned step in one line. Returns an empty list if everything is up to date. */
export function describePlan(plan: Plan, { wanted, existing }: Pick<Facts, 'wanted' | 'existing'>): string[] {
  const getName = (role: WorkerRole) => wanted.configs[role].name;
  return [
    plan.subdomain && 'register the workers.dev subdomain of the account',
    plan.database && `create the database ${wanted.database}`,
    ...plan.buckets.map((name) => `create the bucket ${name}`),
    ...plan.queues.map((name) => `create the queue ${name}`),
    ...plan.indexes.map(([name, count]) => `create the Vectorize index ${name} with ${count} dimensions`),
    ...plan.migrations.map((name) => `apply the migration ${name}`),
    ...plan.classes.map(
      ({ tag, ...change }) => `change Durable Object classes, ${tag}: ${JSON.stringify(change)}`,
    ),
    plan.secrets.length > 0 && `generate the secrets ${plan.secrets.join(', ')}`,
    ...plan.uploads.map(
      (role) => `${existing.workers.has(role) ? 'upload' : 'create'} the Worker ${getName(role)}`,
    ),
  ].filter((line): line is string => Boolean(line));
}
