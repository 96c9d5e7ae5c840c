import { existsSync, globSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '../sqlite.ts';
import { bucketFiles } from './miniflare-files.ts';

export interface Compaction {
  databases: number;
  /** Number of deleted files in the bucket that no object referred to. */
  blobs: number;
  /** Total size in bytes of the databases and the deleted files, before and after the compaction. */
  before: number;
  after: number;
}

/**
 * Rewrites every SQLite file of a state folder, so that deleted data no longer remains in free pages or
 * write-ahead logs. Also deletes stored files to which no object refers. The caller must hold the lock of the
 * folder.
 */
export function compactState(state: string): Compaction {
  const databases = globSync('v3/**/*.sqlite', { cwd: state }).map((name) => join(state, name));
  const before = databases.reduce((sum, file) => sum + sizeWithLog(file), 0);
  // While rewriting a file, SQLite keeps a temporary copy in this folder, which is on the disk of the state.
  process.env.SQLITE_TMPDIR = state;
  for (const file of databases) rewrite(file);
  const blobs = deleteUnusedBlobs(state);
  const after = databases.reduce((sum, file) => sum + sizeWithLog(file), 0);
  return { databases: databases.length, blobs: blobs.count, before: before + blobs.bytes, after };
}

const sizeOfFile = (file: string) => (existsSync(file) ? statSync(file).size : 0);
const sizeWithLog = (file: string) => sizeOfFile(file) + sizeOfFile(`${file}-wal`);

/** Rewrites the file with only the live rows, then empties the write-ahead log. */
function rewrite(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA secure_delete = ON');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.exec('VACUUM');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

/**
 * Deletes files without an object. They remain if a process is killed after deleting an object and before
 * deleting its file.
 */
function deleteUnusedBlobs(state: string): { count: number; bytes: number } {
  const { index, blobs } = bucketFiles(state);
  if (!existsSync(index) || !existsSync(blobs)) return { count: 0, bytes: 0 };
  const database = new DatabaseSync(index, { readOnly: true });
  const rows = database
    .prepare('SELECT blob_id FROM _mf_objects UNION SELECT blob_id FROM _mf_multipart_parts')
    .all();
  database.close();
  const used = new Set(rows.map(({ blob_id }) => blob_id));
  const unused = readdirSync(blobs).filter((name) => !used.has(name));
  const bytes = unused.reduce((sum, name) => sum + sizeOfFile(join(blobs, name)), 0);
  for (const name of unused) rmSync(join(blobs, name));
  return { count: unused.length, bytes };
}
