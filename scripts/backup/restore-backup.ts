import { rmSync } from 'node:fs';
import { RequestFailure } from '../import/failures.ts';
import { formatSize } from '../import/output.ts';
import { sleep } from '../import/retries.ts';
import type { Client, Outline, Row } from './client.ts';
import { DamagedBackup, type Directory, type Line, readLines } from './directory.ts';
import type { BackupKey } from './key.ts';
import { type Manifest, objectLine } from './manifest.ts';
import type { Progress } from './progress.ts';
import { RestoreState } from './restore-state.ts';

const MAX_ROWS = 200;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_CONCURRENT = 4;
/** First and last interval in milliseconds between checks whether the indexes have been built. */
const FIRST_POLL_MS = 1000;
const LAST_POLL_MS = 15_000;

export interface Restoring {
  client: Client;
  directory: Directory;
  manifest: Manifest;
  key: BackupKey;
  organization: string | null;
  hold: boolean;
  /** True if the command waits until the restored indexes have been built. */
  wait: boolean;
  progress: Progress;
}

export interface Restored {
  /** Rows that were not restored, because their data was deleted while the backup was made. */
  leftOut: string[];
  /** Stored secrets that no key can decrypt. Each text contains the secret's place and an error message. */
  unopened: string[];
  /** Tables that have fewer rows after the restore than in the backup. */
  missing: string[];
}

/**
 * Restores objects before rows, and referenced rows before the rows that refer to them. Nobody can therefore
 * see a row whose object is missing.
 */
export async function restoreBackup(restoring: Restoring): Promise<Restored> {
  const { client, directory, manifest, progress } = restoring;
  const outline = await client.outline(null, false);
  requireCompatible(manifest, outline);
  const state = await begin(restoring);
  if (state.stage === 'writing') {
    await writeObjects(restoring, state);
    for (const { name } of outline.tables) await writeTable(restoring, state, name);
    state.startFinishing();
  }
  await finish(client, manifest.id, progress);
  if (restoring.wait) await waitUntilIndexed(restoring);
  const missing = findMissingRows(manifest, await client.outline(manifest.project, true), state);
  rmSync(directory.restoreState(client.base), { force: true });
  return { leftOut: state.leftOut, unopened: state.unopened, missing };
}

/**
 * Throws `DamagedBackup` if this release cannot read the backup. A table may have more columns than the
 * backup if they have defaults, but not fewer.
 */
function requireCompatible(manifest: Manifest, { release, tables }: Outline): void {
  const known = new Map(tables.map((table) => [table.name, table]));
  for (const { name, columns } of manifest.tables) {
    const table = known.get(name);
    const unknown = table ? columns.find((column) => !table.columns.includes(column)) : name;
    if (unknown !== undefined) {
      const what = table ? `the column ${name}.${unknown}` : `the table ${name}`;
      throw new DamagedBackup(
        `Release ${release} does not know ${what}. Restore with release ${manifest.release} or later.`,
      );
    }
    const required = table!.required.find((column) => !columns.includes(column));
    if (required !== undefined)
      throw new DamagedBackup(
        `The backup has no column ${name}.${required}, which release ${release} needs. Restore with release ${manifest.release}, then upgrade.`,
      );
  }
}

async function begin({
  client,
  directory,
  manifest,
  organization,
  hold,
  progress,
}: Restoring): Promise<RestoreState> {
  const path = directory.restoreState(client.base);
  const known = RestoreState.read(path);
  // The service would refuse `begin` at this stage, because the target is no longer empty.
  if (known?.stage === 'finishing') return known;
  const about = { backup_id: manifest.id, project: manifest.project, organization, hold };
  const { resumed } = await client.begin(about);
  if (resumed) progress.done('continuing the unfinished restore');
  return resumed && known ? known : new RestoreState(path);
}

async function writeObjects(
  { client, directory, manifest, progress }: Restoring,
  state: RestoreState,
): Promise<void> {
  const path = directory.objectList();
  let [done, bytes] = [0, 0];
  const write = async (lines: Line[]) => {
    const objects = lines.map(({ value }) => objectLine.parse(value));
    await Promise.all(
      objects.map((object) => client.upload(manifest.id, object, directory.object(object.sha256))),
    );
    state.setReached('objects', lines.at(-1)!.end);
    done += objects.length;
    for (const { size } of objects) bytes += size;
    progress.update(`objects  ${done}, ${formatSize(bytes)}`);
  };
  await writeInGroups(
    readLines(path, state.getReached('objects')),
    (group) => group.length >= MAX_CONCURRENT,
    write,
  );
  progress.done(`objects  ${done}, ${formatSize(bytes)}`);
}

async function writeTable(
  { client, directory, manifest, key, progress }: Restoring,
  state: RestoreState,
  name: string,
): Promise<void> {
  const table = manifest.tables.find((each) => each.name === name);
  // A later release added the table, so the backup has no rows for it.
  if (!table) return;
  let done = 0;
  const from = state.getReached(name);
  const isFull = (group: Line[]) =>
    group.length >= MAX_ROWS || group.at(-1)!.end - group[0]!.end >= MAX_BYTES;
  await writeInGroups(readLines(directory.table(name), from), isFull, async (lines) => {
    const rows = lines.map(({ value }) => value as Row);
    const written = await client.write(manifest.id, { table: name, backup_key: key.sealing, rows });
    state.addNotes(
      written.left_out.map((row) => `${name}/${row}`),
      written.unopened.map(({ place, message }) => `${place}: ${message}`),
    );
    state.setReached(name, lines.at(-1)!.end);
    done += rows.length;
    progress.update(`rows     ${name}: ${done} of ${table.rows}`);
  });
  progress.done(`rows     ${name}: ${table.rows}`);
}

async function writeInGroups(
  lines: AsyncIterable<Line>,
  isFull: (group: Line[]) => boolean,
  write: (group: Line[]) => Promise<void>,
): Promise<void> {
  let group: Line[] = [];
  for await (const line of lines) {
    group.push(line);
    if (!isFull(group)) continue;
    await write(group);
    group = [];
  }
  if (group.length > 0) await write(group);
}

async function finish(client: Client, id: string, progress: Progress): Promise<void> {
  let [syncs, jobs] = [0, 0];
  let token: string | null = null;
  try {
    do {
      const step: Awaited<ReturnType<Client['finish']>> = await client.finish(id, token);
      syncs += step.syncs;
      jobs += step.jobs;
      token = step.next_page_token ?? null;
    } while (token !== null);
  } catch (cause) {
    // An earlier call has finished the restore, but its response was lost.
    if (!(cause instanceof RequestFailure) || cause.status !== 404) throw cause;
  }
  progress.done(`started  syncs: ${syncs}, jobs: ${jobs}`);
}

async function waitUntilIndexed({ client, manifest, progress }: Restoring): Promise<void> {
  for (let wait = FIRST_POLL_MS; ; wait = Math.min(LAST_POLL_MS, wait * 1.2)) {
    const { open_syncs } = await client.outline(manifest.project, false);
    if (open_syncs === 0) break;
    progress.update(`indexing unfinished syncs: ${open_syncs}`);
    await sleep(wait);
  }
  progress.done('indexed');
}

/**
 * Lists tables with fewer rows than the backup. More rows are possible, such as the installation's own first
 * rows and new sync runs.
 */
function findMissingRows(
  { tables }: Manifest,
  { tables: counted }: Outline,
  { leftOut }: RestoreState,
): string[] {
  const now = new Map(counted.map(({ name, rows }) => [name, rows]));
  return tables.flatMap(({ name, rows }) => {
    const wanted = rows - leftOut.filter((row) => row.startsWith(`${name}/`)).length;
    const found = now.get(name) ?? 0;
    return found < wanted ? [`${name}: ${found} of ${wanted}`] : [];
  });
}
