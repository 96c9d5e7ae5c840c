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

/** What the operator allows. */
export interface StateWishes {
  /** Go back: use a database that has migrations of a later release. */
  olderRelease?: boolean;
}

/**
 * Throws `StateRefused` if this release must not touch a state folder: a later release wrote its database, or its
 * tables are not what the recorded migrations make. Call this before anything is migrated. Returns the state of the
 * schema, which says which migrations are pending.
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

/** `isReadable` is `undefined` if the state folder does not say which releases can read it. */
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
      ? `There is no way back to release ${release}: what ${writer} wrote is for ${note?.readableBy} and later.`
      : `If release ${release} can still run on it (docs/upgrading.md, "Going back"): OLDER_RELEASE=true npm start`;
  return [
    `The state in ${state} was written by ${writer}: its database has migrations that release ${release} does not know (${unknown.join(', ')}).`,
    `Nothing was changed. Start ${writer} on it, or choose another folder for this release: STATE_DIR=… npm start`,
    goBack,
  ].join('\n');
}

function describeUnknown(state: string, difference: string, note: ReleaseNote | undefined): string {
  const used = note ? ` It was last used by release ${note.release}.` : '';
  return [
    `The database in ${state} is not what its recorded migrations make: ${difference}.${used}`,
    'A checkout between two releases may have written it. Nothing was changed.',
    'Start the version of Sluice that wrote it and make a backup (npm run backup), then start this release on an',
    'empty folder (STATE_DIR=… npm start) and restore the backup there (npm run restore).',
  ].join('\n');
}
