import { isBefore } from '../deploy/is-before.ts';
import { readRelease } from '../deploy/release.ts';
import { type Migration, readMigrations } from '../migrations/landed.ts';
import { readSchemaState, type SchemaState } from '../migrations/schema-state.ts';
import { readDatabase } from './database.ts';
import { StateRefused } from './refused.ts';
import { type ReleaseNote, readReleaseNote } from './release-note.ts';

/** Compares the D1 database of a state folder with the migrations of this release. Changes nothing. */
export async function readLocalSchema(
  state: string,
  migrations: readonly Migration[] = readMigrations(),
): Promise<SchemaState> {
  const found = await readDatabase(state, (select) => readSchemaState(select, migrations));
  return found ?? { kind: 'empty' };
}

/** Checks of the database that the operator has turned off. */
export interface StateWishes {
  /** True to use a database that has migrations of a later release. */
  olderRelease?: boolean;
}

/**
 * Throws `StateRefused` if this release must not use a state folder. That is the case if a later release
 * wrote its database, or if its tables differ from the recorded migrations. Must be called before anything is
 * migrated. Returns the state of the schema with the pending migrations.
 */
export async function requireKnownSchema(
  state: string,
  { olderRelease = process.env.OLDER_RELEASE === 'true' }: StateWishes = {},
): Promise<SchemaState> {
  const schema = await readLocalSchema(state);
  const note = readReleaseNote(state);
  if (schema.kind === 'unknown') throw new StateRefused(describeUnknown(state, schema.difference, note));
  if (schema.kind === 'newer') {
    const isReadable = note ? !isBefore(readRelease().release, note.readableBy) : undefined;
    if (olderRelease && isReadable !== false) return schema;
    throw new StateRefused(describeNewer(state, schema.unknown, note, isReadable));
  }
  return schema;
}

/** `isReadable` is `undefined` if the state folder does not record which releases can read it. */
function describeNewer(
  state: string,
  unknown: readonly string[],
  note: ReleaseNote | undefined,
  isReadable: boolean | undefined,
): string {
  const { release } = readRelease();
  const writer = note && note.release !== release ? `release ${note.release}` : 'a later release';
  const goBack =
    isReadable === false
      ? `A rollback to release ${release} is not possible, because the data of ${writer} needs release ${note?.readableBy} or later.`
      : `If release ${release} can still use the data (docs/how-to/upgrade.md, "Go back"): OLDER_RELEASE=true npm start`;
  return [
    `The state in ${state} was written by ${writer}. Its database has migrations that release ${release} does not know (${unknown.join(', ')}).`,
    `Nothing was changed. Start ${writer}, or choose another state folder for this release: STATE_DIR=… npm start`,
    goBack,
  ].join('\n');
}

function describeUnknown(state: string, difference: string, note: ReleaseNote | undefined): string {
  const used = note ? ` It was last used by release ${note.release}.` : '';
  return [
    `The database in ${state} does not match its recorded migrations: ${difference}.${used}`,
    'A checkout between two releases may have written it. Nothing was changed.',
    'Start the version of Sluice that wrote it and make a backup (npm run backup). Then start this release with an',
    'empty state folder (STATE_DIR=… npm start) and restore the backup there (npm run restore).',
  ].join('\n');
}
