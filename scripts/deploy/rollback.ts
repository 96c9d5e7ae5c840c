import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBreakingStatements } from './breaking-statements.ts';
import type { ClassMigration } from './configs.ts';
import { isBefore } from './is-before.ts';
import type { Release } from './release.ts';

/** Changes that a rollback cannot undo: migrations of the database and of Durable Object classes. */
export interface Changes {
  /** Path of the folder with the D1 migrations. */
  folder: string;
  /** Names of the database migrations that have not been applied yet, in order. */
  migrations: readonly string[];
  /** Migrations of Durable Object classes that have not been applied yet. */
  classes: readonly ClassMigration[];
}

/** Returns one line for each reason why the previous release cannot run after these changes. */
export function listRollbackObstacles({ folder, migrations, classes }: Changes): string[] {
  return [
    ...migrations.flatMap((name) =>
      findBreakingStatements(readFileSync(join(folder, name), 'utf8')).map(
        (sql) => `${name}: ${sql.slice(0, 120)}`,
      ),
    ),
    /*
     * Cloudflare does not roll back past a migration of Durable Object classes: "Rollbacks will not be
     * allowed if a Durable Object migration has occurred between the version in the active deployment and the
     * version selected" (developers.cloudflare.com/workers/versions-and-deployments/rollbacks). Cloudflare
     * also rejects an upload of the previous release, which does not export the class: "New version of script
     * does not export class … which is depended on by existing Durable Objects" (code 10064, as in
     * github.com/cloudflare/mcp-server-cloudflare/pull/387).
     */
    ...classes.map(
      ({ tag, ...change }) =>
        `Durable Object classes, ${tag}: ${JSON.stringify(change)}: Cloudflare does not remove them`,
    ),
  ];
}

/**
 * Describes whether a rollback to the deployed release is possible after this deployment, and the obstacles.
 * Returns `undefined` if nothing is deployed, or if the same release is deployed without changes of data.
 */
export function describeRollback(
  changes: Changes,
  next: Release,
  deployed: string | undefined,
): string | undefined {
  const isSame = deployed === next.release && changes.migrations.length + changes.classes.length === 0;
  // If a later release is deployed, its own deployment has already described the rollback.
  if (deployed === undefined || isSame || isBefore(next.release, deployed)) return undefined;
  const stops = listRollbackObstacles(changes);
  if (isBefore(deployed, next.readableBy)) {
    stops.push(
      `release ${next.readableBy} or later is needed to read the data of release ${next.release}: ${next.because}`,
    );
  }
  if (stops.length === 0) {
    return `A rollback will be possible: the deployed release ${deployed} can use the data of release ${next.release}.`;
  }
  return [
    `A rollback will need a backup, because the deployed release ${deployed} cannot use the data of release ${next.release}:`,
    ...stops.map((line) => `  ${line}`),
  ].join('\n');
}
