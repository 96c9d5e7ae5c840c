import { existsSync, globSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '../sqlite.ts';
import { bucketFiles } from './miniflare-files.ts';

export interface Compaction {
  /** Number of SQLite files that were rewritten. */
  databases: number;
  /** Number of files in the bucket that no object refers to any more. They were deleted. */
  blobs: number;
  /** Bytes of the state folder's databases and deleted files before and after. */
  before: number;
  after: number;
}

/**
 * Rewrites every SQLite file of a state folder, so that deleted text is no longer in free pages or in a write-ahead log,
 * and deletes stored bytes to which no object refers. The caller must hold the lock of the folder.
 */
export function compactState(state: string): Compaction {
  const databases = globSync('v3/**/*.sqlite', { cwd: state }).map((name) => join(state, name));
  const before = databases.reduce((sum, file) => sum + sizeWithLog(file), 0);
  // SQLite keeps its temporary copy in this folder, where there is room for the state, and unlinks it at once.
  process.env.SQLITE_TMPDIR = state;
  for (const file of databases) rewrite(file);
  const blobs = deleteUnusedBlobs(state);
  const after = databases.reduce((sum, file) => sum + sizeWithLog(file), 0);
  return { databases: databases.length, blobs: blobs.count, before: before + blobs.bytes, after };
}

const sizeOfFile = (file: string) => (existsSync(file) ? statSync(file).size : 0);
const sizeWithLog = (file: string) => sizeOfFile(file) + sizeOfFile(`${file}-wal`);

/** Has SQLite write the live rows anew over the whole file, then empties the write-ahead log. */
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

/** A process that was killed between deleting an object and its bytes leaves the bytes behind. */
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
