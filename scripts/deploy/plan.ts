import { type ClassMigration, ROLES, type Wanted, type WorkerRole } from './configs.ts';
import type { Existing } from './existing.ts';
import type { Installation } from './installation.ts';

/** Made at random, once, and known to the platform only. */
export const SECRETS = ['SESSION_SECRET', 'ENCRYPTION_KEY', 'BOOTSTRAP_API_KEY'] as const;
export type SecretName = (typeof SECRETS)[number];

/** What is missing or differs. */
export interface Plan {
  /** Why nothing may be done. */
  refusals: string[];
  subdomain: boolean;
  database: boolean;
  buckets: string[];
  queues: string[];
  /** Name and dimensions. */
  indexes: [string, number][];
  /** Names of files, in their order. */
  migrations: string[];
  /** Migrations of the classes of objects, in their order; where there are none yet, all come with the first upload. */
  classes: ClassMigration[];
  secrets: SecretName[];
  /** In their order. */
  uploads: WorkerRole[];
}

export interface Facts {
  wanted: Wanted;
  existing: Existing;
  /** Of the file; undefined where nothing has been deployed from here. */
  known: Installation | undefined;
  /** The files of the migrations of this release, in their order. */
  migrations: readonly string[];
  /** Of each Worker as it would be uploaded; left out where it is uploaded in any case. */
  hashes: Partial<Record<WorkerRole, string>>;
}

export interface Wishes {
  /** Take over what bears the names though the file does not know it. */
  adopt: boolean;
  /** Upload Workers that are as they should be. */
  force: boolean;
  /** Make secrets anew that a former run has set and that are gone. */
  newSecrets: boolean;
  /** Go back to a release that does not know all migrations of the database. */
  olderRelease: boolean;
}

/** Compares what there is with what is wanted; asks nobody. */
export function planOf({ wanted, existing, known, migrations, hashes }: Facts, wishes: Wishes): Plan {
  const present = existing.workers.get('service');
  const secrets = SECRETS.filter((name) => !present?.has(name));
  const isCurrent = (role: WorkerRole) =>
    !wishes.force &&
    existing.workers.has(role) &&
    hashes[role] !== undefined &&
    hashes[role] === known?.workers?.[wanted.configs[role].name] &&
    !(role === 'service' && secrets.length > 0);
  return {
    refusals: refusalsOf({ wanted, existing, known, migrations }, wishes, secrets),
    subdomain: existing.subdomain === undefined && wanted.configs.service.workers_dev === true,
    database: existing.database === undefined,
    buckets: wanted.buckets.filter((name) => !existing.buckets.has(name)),
    queues: wanted.queues.filter((name) => !existing.queues.has(name)),
    indexes: [...wanted.indexes].filter(([name]) => !existing.indexes.has(name)),
    migrations: migrations.filter((name) => !existing.migrations.includes(name)),
    classes: newClasses(wanted, existing),
    secrets,
    uploads: ROLES.filter((role) => !isCurrent(role)),
  };
}

function newClasses({ configs }: Wanted, { classes }: Existing): ClassMigration[] {
  const all = configs.service.migrations ?? [];
  const last = all.findIndex(({ tag }) => tag === classes);
  return last < 0 ? [] : all.slice(last + 1);
}

/** Why nothing may be done: each would lose data or take what is somebody else's. */
function refusalsOf(
  { wanted, existing, known, migrations }: Omit<Facts, 'hashes'>,
  wishes: Wishes,
  secrets: readonly SecretName[],
): string[] {
  const { service } = wanted.configs;
  const refusals: string[] = [];
  const taken = takenNames(wanted, existing);
  if (!known && !wishes.adopt && taken) refusals.push(taken);
  if (known?.database_id !== undefined && existing.database !== known.database_id) {
    refusals.push(
      `The database of this installation (${known.database_id}) is gone, or another bears its name ${wanted.database}. Restore it, or remove database_id from the installation to begin with an empty one.`,
    );
  }
  if (known?.secrets_set && secrets.length > 0 && !wishes.newSecrets) {
    refusals.push(
      `A former run set ${secrets.join(', ')}, and the Worker ${service.name} has them no more. Put them back (npx wrangler secret put <secret> --name ${service.name}): what was sealed with another ENCRYPTION_KEY cannot be opened. --new-secrets makes new ones.`,
    );
  }
  const later = existing.migrations.filter((name) => !migrations.includes(name));
  if (later.length > 0 && !wishes.olderRelease) {
    refusals.push(
      `The database has migrations that this release does not know (${later.join(', ')}): a later one is deployed. --older-release goes back to this one; first read in docs/operations.md whether it still runs on the data.`,
    );
  }
  if (existing.schema.kind === 'unknown') {
    refusals.push(
      `The tables of the database ${wanted.database} are not what its recorded migrations make: ${existing.schema.difference}. A checkout between two releases may have deployed it. Nothing was changed. Deploy the version that made it and make a backup (npm run backup), then deploy this release under another --name and restore the backup there (npm run restore).`,
    );
  }
  const { classes } = existing;
  if (classes !== undefined && !service.migrations?.some(({ tag }) => tag === classes)) {
    refusals.push(
      `The Worker ${service.name} has classes of objects by the migration ${classes}, which this release does not know: a later one is deployed, and the platform takes no Worker without them. There is no way back to this release.`,
    );
  }
  for (const [name, count] of wanted.indexes) {
    const real = existing.indexes.get(name) ?? count;
    if (real !== count) refusals.push(`The index ${name} has ${real} dimensions and not ${count}.`);
  }
  return refusals;
}

function takenNames(wanted: Wanted, existing: Existing): string | undefined {
  const taken = [
    ...[...existing.workers.keys()].map((role) => `Worker ${wanted.configs[role].name}`),
    existing.database !== undefined && `database ${wanted.database}`,
    ...[...existing.buckets].map((name) => `bucket ${name}`),
    ...[...existing.queues.keys()].map((name) => `queue ${name}`),
    ...[...existing.indexes.keys()].map((name) => `index ${name}`),
  ].filter(Boolean);
  if (taken.length === 0) return undefined;
  return `The account has these already, and no file says that they are this installation's: ${taken.join(', ')}. Choose another --name, or take them over with --adopt.`;
}

/** A line for each thing to be done; none where all is as it should be. */
export function linesOf(plan: Plan, { wanted, existing }: Pick<Facts, 'wanted' | 'existing'>): string[] {
  const nameOf = (role: WorkerRole) => wanted.configs[role].name;
  return [
    plan.subdomain && 'register the account’s subdomain of workers.dev',
    plan.database && `create the database ${wanted.database}`,
    ...plan.buckets.map((name) => `create the bucket ${name}`),
    ...plan.queues.map((name) => `create the queue ${name}`),
    ...plan.indexes.map(([name, count]) => `create the index ${name} of ${count} dimensions`),
    ...plan.migrations.map((name) => `apply the migration ${name}`),
    ...plan.classes.map(
      ({ tag, ...change }) => `change classes of objects, ${tag}: ${JSON.stringify(change)}`,
    ),
    plan.secrets.length > 0 && `set ${plan.secrets.join(', ')} at random`,
    ...plan.uploads.map(
      (role) => `${existing.workers.has(role) ? 'upload' : 'create'} the Worker ${nameOf(role)}`,
    ),
  ].filter((line): line is string => Boolean(line));
}
