import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakingStatements } from './additions.ts';
import type { ClassMigration } from './configs.ts';
import { isBefore } from './is-before.ts';
import type { Release } from './release.ts';

/** What a deployment changes that going back could not undo. */
export interface Changes {
  /** The folder of the database's migrations. */
  folder: string;
  /** Migrations of the database that are not applied yet, in their order. */
  migrations: readonly string[];
  /** Migrations of the objects' classes that are not applied yet. */
  classes: readonly ClassMigration[];
}

/** Why the release before cannot run on what these changes leave; a line each. */
export function stopsOf({ folder, migrations, classes }: Changes): string[] {
  return [
    ...migrations.flatMap((name) =>
      breakingStatements(readFileSync(join(folder, name), 'utf8')).map(
        (sql) => `${name}: ${sql.slice(0, 120)}`,
      ),
    ),
    /*
     * The platform rolls back to no version from before a migration of classes: "Rollbacks will not be allowed if a
     * Durable Object migration has occurred between the version in the active deployment and the version selected"
     * (developers.cloudflare.com/workers/versions-and-deployments/rollbacks). Nor does it take an upload of the former
     * release, which does not export the class: "New version of script does not export class … which is depended on by
     * existing Durable Objects" (code 10064, as in github.com/cloudflare/mcp-server-cloudflare/pull/387).
     */
    ...classes.map(
      ({ tag, ...change }) =>
        `classes of objects, ${tag}: ${JSON.stringify(change)}: the platform keeps them`,
    ),
  ];
}

/**
 * Whether the deployed release can be gone back to once this one is deployed, and what stops it; undefined where
 * nothing is deployed, or the same release with the same data.
 */
export function wayBack(changes: Changes, next: Release, deployed: string | undefined): string | undefined {
  const isSame = deployed === next.release && changes.migrations.length + changes.classes.length === 0;
  // Whoever goes back has been told by the later release.
  if (deployed === undefined || isSame || isBefore(next.release, deployed)) return undefined;
  const stops = stopsOf(changes);
  if (isBefore(deployed, next.readableBy)) {
    stops.push(`what ${next.release} writes is for ${next.readableBy} and later: ${next.because}`);
  }
  if (stops.length === 0) {
    return `There is a way back: release ${deployed}, which is deployed, can still run on what release ${next.release} leaves.`;
  }
  return [
    `There is no way back: release ${deployed}, which is deployed, cannot run on what release ${next.release} leaves, so that going back needs a backup:`,
    ...stops.map((line) => `  ${line}`),
  ].join('\n');
}
