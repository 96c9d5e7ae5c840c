import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../import/failures.ts';
import { formatSize } from '../import/output.ts';
import { BackupState } from './backup-state.ts';
import type { Client, Outline, StoredObject } from './client.ts';
import { type Directory, measureFile, readLines } from './directory.ts';
import type { BackupKey } from './key.ts';
import { type Manifest, type ObjectLine, objectLine, writeManifest } from './manifest.ts';
import { findMissingContents } from './missing-contents.ts';
import type { Progress } from './progress.ts';

const MAX_CONCURRENT = 4;
/** Number of objects listed per page. It is small, so that an interrupted backup repeats little work. */
const OBJECTS_PER_PAGE = 50;
const OBJECTS = 'objects';

interface BackupRun {
  client: Client;
  directory: Directory;
  key: BackupKey;
  project: string | null;
  /** Description of the tables to back up, as returned by the service. */
  outline: Outline;
  progress: Progress;
}

export interface CreatedBackup {
  manifest: Manifest;
  /**
   * Stored secrets that no key of the installation can decrypt. Each text contains the secret's place and an
   * error message.
   */
  unopened: string[];
  /** Files and documents whose contents were replaced or deleted while the backup was made. */
  missing: string[];
}

/**
 * Throws `UsageError` if the directory contains a finished backup, or an unfinished one whose key is not
 * given. Neither can be continued with a new key.
 */
export function requireUnfinished(directory: Directory, hasKey: boolean): void {
  if (existsSync(directory.manifest())) {
    throw new UsageError(`${directory.root} already contains a backup. Name another directory.`);
  }
  if (!hasKey && existsSync(directory.state())) {
    throw new UsageError(
      `${directory.root} contains an unfinished backup. Set BACKUP_KEY to the key that was printed at its start, or name another directory.`,
    );
  }
}

/**
 * Reads referencing rows before the rows that they refer to, and objects last. Everything that a row refers
 * to is therefore read after the row, and is missing only if it was deleted in the meantime.
 */
export async function createBackup(taking: BackupRun): Promise<CreatedBackup> {
  const { client, directory, key, project, outline, progress } = taking;
  refuseForeignReferences(outline);
  mkdirSync(directory.root, { recursive: true });
  const state = new BackupState(directory, { base: client.base, project, key_id: key.id });
  if (state.resumed) progress.done('continuing the unfinished backup in this directory');
  for (const table of outline.tables.toReversed()) await backUpRows(taking, state, table);
  await backUpObjects(taking, state);
  progress.done('verifying');
  const { id, made_at, unopened } = state.about;
  const manifest: Manifest = {
    sluice_backup: 1,
    id,
    made_at,
    release: outline.release,
    project,
    key_id: key.id,
    tables: await measureTables(directory, state, outline),
    objects: await measureObjects(directory, state),
  };
  const missing = await findMissingContents(directory);
  writeManifest(directory, manifest, key);
  rmSync(directory.state());
  return { manifest, unopened, missing };
}

function refuseForeignReferences({ outside }: Outline): void {
  if (outside.length === 0) return;
  const named = outside.map(({ place, reference }) => `${place} -> ${reference}`).join(', ');
  throw new UsageError(
    `The project uses objects of other projects, so it cannot be restored alone: ${named}. Back up the whole installation instead.`,
  );
}

async function backUpRows(
  { client, directory, key, project, progress }: BackupRun,
  state: BackupState,
  { name, rows }: Outline['tables'][number],
): Promise<void> {
  while (!state.list(name).done) {
    const page_token = state.list(name).token;
    const page = await client.rows({ table: name, project, backup_key: key.sealing, page_token });
    state.addUnopened(page.unopened.map(({ place, message }) => `${place}: ${message}`));
    state.append(name, directory.table(name), page.rows, page.next_page_token ?? null);
    progress.update(`rows     ${name}: ${state.list(name).count} of ${rows}`);
  }
  progress.done(`rows     ${name}: ${state.list(name).count}`);
}

async function backUpObjects(taking: BackupRun, state: BackupState): Promise<void> {
  const { client, directory, project, progress } = taking;
  mkdirSync(dirname(directory.temporaryObject(0)), { recursive: true });
  let bytes = 0;
  while (!state.list(OBJECTS).done) {
    const page_token = state.list(OBJECTS).token;
    const page = await client.objects({ project, page_token, page_size: OBJECTS_PER_PAGE });
    const lines: ObjectLine[] = [];
    for (let from = 0; from < page.objects.length; from += MAX_CONCURRENT) {
      const some = page.objects.slice(from, from + MAX_CONCURRENT);
      const taken = await Promise.all(some.map((object, slot) => downloadObject(taking, object, slot)));
      lines.push(...taken.filter((line) => line !== undefined));
      progress.update(`objects  ${state.list(OBJECTS).count + lines.length}`);
    }
    for (const { size } of lines) bytes += size;
    state.append(OBJECTS, directory.objectList(), lines, page.next_page_token ?? null);
  }
  progress.done(`objects  ${state.list(OBJECTS).count}, ${formatSize(bytes)} in this run`);
}

/**
 * Downloads a stored object into the backup. Returns `undefined` if the object was deleted after it had been
 * listed.
 */
async function downloadObject(
  { client, directory }: BackupRun,
  { key, metadata }: StoredObject,
  slot: number,
): Promise<ObjectLine | undefined> {
  const arriving = directory.temporaryObject(slot);
  const read = await client.download(key, arriving);
  if (!read) return undefined;
  const path = directory.object(read.sha256);
  mkdirSync(dirname(path), { recursive: true });
  renameSync(arriving, path);
  return { key, size: read.size, sha256: read.sha256, metadata: metadata ?? null };
}

async function measureTables(
  directory: Directory,
  state: BackupState,
  { tables }: Outline,
): Promise<Manifest['tables']> {
  const measured: Manifest['tables'] = [];
  for (const { name, columns } of tables) {
    const { bytes, lines, sha256 } = await measureFile(directory.table(name));
    requireCount(name, lines, state.list(name).count);
    measured.push({ name, columns, rows: lines, bytes, sha256 });
  }
  return measured;
}

async function measureObjects(directory: Directory, state: BackupState): Promise<Manifest['objects']> {
  const { bytes, lines, sha256 } = await measureFile(directory.objectList());
  requireCount(OBJECTS, lines, state.list(OBJECTS).count);
  let size = 0;
  for await (const { value } of readLines(directory.objectList())) size += objectLine.parse(value).size;
  return { count: lines, bytes: size, list: { bytes, sha256 } };
}

function requireCount(name: string, found: number, wanted: number): void {
  if (found !== wanted)
    throw new UsageError(
      `${name}: ${found} lines were written instead of ${wanted}. Check if the disk is full.`,
    );
}
