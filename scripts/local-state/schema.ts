import { readRelease } from '../deploy/release.ts';
import { type Migration, readMigrations } from '../migrations/landed.ts';
import { readSchemaState, type SchemaState } from '../migrations/schema-state.ts';
import { readDatabase } from './database.ts';
import { StateRefused } from './refused.ts';
import { readReleaseNote } from './release-note.ts';

/** Compares the D1 database of a state folder with the migrations of this release. Changes nothing. */
export async function readLocalSchema(
  state: string,
  migrations: readonly Migration[] = readMigrations(),
): Promise<SchemaState> {
  const found = await readDatabase(state, (select) => readSchemaState(select, migrations));
  return found ?? { kind: 'empty' };
}

/**
 * Throws `StateRefused` if this release must not touch a state folder: a later release wrote its database, or its
 * tables are not what the recorded migrations make. Call this before anything is migrated. Returns the state of the
 * schema, which says which migrations are pending.
 */
export async function requireKnownSchema(state: string): Promise<SchemaState> {
  const schema = await readLocalSchema(state);
  const refusal = describeRefusal(state, schema);
  if (refusal) throw new StateRefused(refusal);
  return schema;
}

function describeRefusal(state: string, schema: SchemaState): string | undefined {
  const { release } = readRelease();
  const last = readReleaseNote(state);
  if (schema.kind === 'newer') {
    const writer = last && last !== release ? `release ${last}` : 'a later release';
    return [
      `The state in ${state} was written by ${writer}: its database has migrations that release ${release} does not know (${schema.unknown.join(', ')}).`,
      `Nothing was changed. Start ${writer} on it, or choose another folder for this release: STATE_DIR=… npm start`,
    ].join('\n');
  }
  if (schema.kind === 'unknown') {
    const used = last ? ` It was last used by release ${last}.` : '';
    return [
      `The database in ${state} is not what its recorded migrations make: ${schema.difference}.${used}`,
      'A checkout between two releases may have written it. Nothing was changed.',
      'Start the version of Sluice that wrote it and make a backup (npm run backup), then start this release on an',
      'empty folder (STATE_DIR=… npm start) and restore the backup there (npm run restore).',
    ].join('\n');
  }
  return undefined;
}
