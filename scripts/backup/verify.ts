import { existsSync } from 'node:fs';
import { formatCount, formatSize } from '../import/output.ts';
import { DamagedBackup, type Directory, measureFile, readLines } from './directory.ts';
import { type Manifest, objectLine } from './manifest.ts';
import type { Progress } from './progress.ts';

/** Matches the keys of stored objects. Each key must lie inside the folder of one project. */
const KEY = /^projects\/([0-9a-f-]{36})(?:\/[^/\p{Cc}]+)+$/u;

/**
 * Compares all files of the directory with the manifest. Throws `DamagedBackup` with the name of the first
 * file that differs.
 */
export async function verifyBackup(
  directory: Directory,
  manifest: Manifest,
  progress: Progress,
): Promise<void> {
  for (const table of manifest.tables) await verifyList(directory.table(table.name), table.rows, table);
  const { list, count, bytes } = manifest.objects;
  await verifyList(directory.objectList(), count, list);
  let [done, size] = [0, 0];
  for await (const { value, number } of readLines(directory.objectList())) {
    await verifyObject(directory, manifest, value, number);
    done += 1;
    size += objectLine.parse(value).size;
    progress.update(`verified ${done} of ${count} objects, ${formatSize(size)} of ${formatSize(bytes)}`);
  }
  progress.done(`verified ${formatCount(manifest.tables.length, 'table')}, ${formatCount(done, 'object')}`);
}

async function verifyList(
  path: string,
  lines: number,
  wanted: { bytes: number; sha256: string },
): Promise<void> {
  const found = await measureFile(path);
  if (found.sha256 === wanted.sha256 && found.lines === lines && found.bytes === wanted.bytes) return;
  throw new DamagedBackup(`${path} was changed: its hash is ${found.sha256} instead of ${wanted.sha256}.`);
}

async function verifyObject(
  directory: Directory,
  { project }: Manifest,
  value: unknown,
  number: number,
): Promise<void> {
  const place = `${directory.objectList()}: line ${number}`;
  const read = objectLine.safeParse(value);
  if (!read.success) throw new DamagedBackup(`${place} is not a valid entry of the list of objects.`);
  const { key, size, sha256 } = read.data;
  const [, owner] = KEY.exec(key) ?? [];
  const leads = key.split('/').some((part) => part === '.' || part === '..');
  if (owner === undefined || leads)
    throw new DamagedBackup(`${place}: the key ${JSON.stringify(key)} is not in the folder of a project.`);
  if (project !== null && owner !== project)
    throw new DamagedBackup(`${place}: ${key} belongs to another project.`);
  const path = directory.object(sha256);
  if (!existsSync(path)) throw new DamagedBackup(`${path} is missing. It should contain the object ${key}.`);
  const found = await measureFile(path);
  if (found.sha256 === sha256 && found.bytes === size) return;
  throw new DamagedBackup(`${path} was changed. It should contain the object ${key}.`);
}
