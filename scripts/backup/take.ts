import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { WrongUse } from '../import/failures.ts';
import { sizeOf } from '../import/tell.ts';
import type { Client, Outline, StoredObject } from './client.ts';
import { type Directory, linesOf, measure } from './directory.ts';
import type { BackupKey } from './key.ts';
import { type Manifest, type ObjectLine, objectLine, writeManifest } from './manifest.ts';
import type { Progress } from './progress.ts';
import { TakeState } from './take-state.ts';
import { withoutBytes } from './without-bytes.ts';

const AT_ONCE = 4;
/** Few, so that little is done again after an interruption. */
const OBJECTS_PER_PAGE = 50;
const OBJECTS = 'objects';

interface Taking {
  client: Client;
  directory: Directory;
  key: BackupKey;
  project: string | null;
  /** What the service says that the backup will hold. */
  outline: Outline;
  progress: Progress;
}

export interface Taken {
  manifest: Manifest;
  /** Secrets that no key of the installation opens. */
  unopened: string[];
  /** Files and documents whose bytes were replaced or deleted while the backup was made. */
  lacking: string[];
}

/**
 * Throws `WrongUse` if the directory holds a finished backup, or one that was begun and whose key is not given: neither
 * can be continued with a new key.
 */
export function requireUnfinished(directory: Directory, hasKey: boolean): void {
  if (existsSync(directory.manifest())) {
    throw new WrongUse(`${directory.root} holds a backup already: name another directory.`);
  }
  if (!hasKey && existsSync(directory.state())) {
    throw new WrongUse(
      `${directory.root} holds a backup that was begun: set BACKUP_KEY to the key that was shown then, or name another directory.`,
    );
  }
}

/**
 * Rows first and what they refer to after them, bytes last: whatever a row of the backup speaks of was there later than
 * the row was read, unless somebody has deleted it meanwhile.
 */
export async function takeBackup(taking: Taking): Promise<Taken> {
  const { client, directory, key, project, outline, progress } = taking;
  refuseOutside(outline);
  mkdirSync(directory.root, { recursive: true });
  const state = new TakeState(directory, { base: client.base, project, key_id: key.id });
  if (state.resumed) progress.done('going on with the backup that was begun here');
  for (const table of outline.tables.toReversed()) await takeRows(taking, state, table);
  await takeObjects(taking, state);
  progress.done('verifying');
  const { id, made_at, unopened } = state.about;
  const manifest: Manifest = {
    sluice_backup: 1,
    id,
    made_at,
    release: outline.release,
    project,
    key_id: key.id,
    tables: await measuredTables(directory, state, outline),
    objects: await measuredObjects(directory, state),
  };
  const lacking = await withoutBytes(directory);
  writeManifest(directory, manifest, key);
  rmSync(directory.state());
  return { manifest, unopened, lacking };
}

function refuseOutside({ outside }: Outline): void {
  if (outside.length === 0) return;
  const named = outside.map(({ place, reference }) => `${place} -> ${reference}`).join(', ');
  throw new WrongUse(
    `The project uses what belongs to other projects, so that it cannot be restored alone: ${named}. Back up the installation.`,
  );
}

async function takeRows(
  { client, directory, key, project, progress }: Taking,
  state: TakeState,
  { name, rows }: Outline['tables'][number],
): Promise<void> {
  while (!state.list(name).done) {
    const page_token = state.list(name).token;
    const page = await client.rows({ table: name, project, backup_key: key.sealing, page_token });
    state.note(page.unopened.map(({ place, message }) => `${place}: ${message}`));
    state.append(name, directory.table(name), page.rows, page.next_page_token ?? null);
    progress.tell(`rows     ${name}: ${state.list(name).count} of ${rows}`);
  }
  progress.done(`rows     ${name}: ${state.list(name).count}`);
}

async function takeObjects(taking: Taking, state: TakeState): Promise<void> {
  const { client, directory, project, progress } = taking;
  mkdirSync(dirname(directory.arriving(0)), { recursive: true });
  let bytes = 0;
  while (!state.list(OBJECTS).done) {
    const page_token = state.list(OBJECTS).token;
    const page = await client.objects({ project, page_token, page_size: OBJECTS_PER_PAGE });
    const lines: ObjectLine[] = [];
    for (let from = 0; from < page.objects.length; from += AT_ONCE) {
      const some = page.objects.slice(from, from + AT_ONCE);
      const taken = await Promise.all(some.map((object, slot) => takeObject(taking, object, slot)));
      lines.push(...taken.filter((line) => line !== undefined));
      progress.tell(`bytes    ${state.list(OBJECTS).count + lines.length} objects`);
    }
    for (const { size } of lines) bytes += size;
    state.append(OBJECTS, directory.objectList(), lines, page.next_page_token ?? null);
  }
  progress.done(`bytes    ${state.list(OBJECTS).count} objects, ${sizeOf(bytes)} in this run`);
}

/** Undefined: it is gone since it was listed. */
async function takeObject(
  { client, directory }: Taking,
  { key, metadata }: StoredObject,
  slot: number,
): Promise<ObjectLine | undefined> {
  const arriving = directory.arriving(slot);
  const read = await client.download(key, arriving);
  if (!read) return undefined;
  const path = directory.object(read.sha256);
  mkdirSync(dirname(path), { recursive: true });
  renameSync(arriving, path);
  return { key, size: read.size, sha256: read.sha256, metadata: metadata ?? null };
}

async function measuredTables(
  directory: Directory,
  state: TakeState,
  { tables }: Outline,
): Promise<Manifest['tables']> {
  const measured: Manifest['tables'] = [];
  for (const { name, columns } of tables) {
    const { bytes, lines, sha256 } = await measure(directory.table(name));
    requireCount(name, lines, state.list(name).count);
    measured.push({ name, columns, rows: lines, bytes, sha256 });
  }
  return measured;
}

async function measuredObjects(directory: Directory, state: TakeState): Promise<Manifest['objects']> {
  const { bytes, lines, sha256 } = await measure(directory.objectList());
  requireCount(OBJECTS, lines, state.list(OBJECTS).count);
  let size = 0;
  for await (const { value } of linesOf(directory.objectList())) size += objectLine.parse(value).size;
  return { count: lines, bytes: size, list: { bytes, sha256 } };
}

function requireCount(name: string, found: number, wanted: number): void {
  if (found !== wanted)
    throw new WrongUse(`${name}: ${found} lines were written and not ${wanted}. Is the disk full?`);
}
