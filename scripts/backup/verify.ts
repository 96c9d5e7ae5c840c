import { existsSync } from 'node:fs';
import { sizeOf } from '../import/tell.ts';
import { Damaged, type Directory, linesOf, measure } from './directory.ts';
import { type Manifest, objectLine } from './manifest.ts';
import type { Progress } from './progress.ts';

/** Nothing leads out of a project's place in the bucket. */
const KEY = /^projects\/([0-9a-f-]{36})(?:\/[^/\p{Cc}]+)+$/u;

/** Holds everything in the directory against the manifest. Throws Damaged with the name of what is not as it was. */
export async function verifyBackup(
  directory: Directory,
  manifest: Manifest,
  progress: Progress,
): Promise<void> {
  for (const table of manifest.tables) await verifyList(directory.table(table.name), table.rows, table);
  const { list, count, bytes } = manifest.objects;
  await verifyList(directory.objectList(), count, list);
  let [done, size] = [0, 0];
  for await (const { value, number } of linesOf(directory.objectList())) {
    await verifyObject(directory, manifest, value, number);
    done += 1;
    size += objectLine.parse(value).size;
    progress.tell(`verified ${done} of ${count} objects, ${sizeOf(size)} of ${sizeOf(bytes)}`);
  }
  progress.done(`verified ${manifest.tables.length} tables, ${done} objects`);
}

async function verifyList(
  path: string,
  lines: number,
  wanted: { bytes: number; sha256: string },
): Promise<void> {
  const found = await measure(path);
  if (found.sha256 === wanted.sha256 && found.lines === lines && found.bytes === wanted.bytes) return;
  throw new Damaged(`${path} is not what was written: its hash is ${found.sha256}, not ${wanted.sha256}.`);
}

async function verifyObject(
  directory: Directory,
  { project }: Manifest,
  value: unknown,
  number: number,
): Promise<void> {
  const place = `${directory.objectList()}: line ${number}`;
  const read = objectLine.safeParse(value);
  if (!read.success) throw new Damaged(`${place} is none of a list of objects.`);
  const { key, size, sha256 } = read.data;
  const [, owner] = KEY.exec(key) ?? [];
  const leads = key.split('/').some((part) => part === '.' || part === '..');
  if (owner === undefined || leads)
    throw new Damaged(`${place}: no project keeps anything at ${JSON.stringify(key)}.`);
  if (project !== null && owner !== project)
    throw new Damaged(`${place}: ${key} belongs to another project.`);
  const path = directory.object(sha256);
  if (!existsSync(path)) throw new Damaged(`${path} is missing, the bytes of ${key}.`);
  const found = await measure(path);
  if (found.sha256 === sha256 && found.bytes === size) return;
  throw new Damaged(`${path} is not what was written, the bytes of ${key}.`);
}
