import { rmSync } from 'node:fs';
import { RequestFailure } from '../import/failures.ts';
import { sleep } from '../import/patience.ts';
import { sizeOf } from '../import/tell.ts';
import type { Client, Outline, Row } from './client.ts';
import { Damaged, type Directory, type Line, linesOf } from './directory.ts';
import type { BackupKey } from './key.ts';
import { type Manifest, objectLine } from './manifest.ts';
import type { Progress } from './progress.ts';
import { PutState } from './put-state.ts';

const MOST_ROWS = 200;
const MOST_BYTES = 4 * 1024 * 1024;
const AT_ONCE = 4;
/** How often it is looked whether the indexes are there. */
const SOON_MS = 1000;
const SELDOM_MS = 15_000;

export interface Restoring {
  client: Client;
  directory: Directory;
  manifest: Manifest;
  key: BackupKey;
  organization: string | null;
  hold: boolean;
  /** Until the indexes are there. */
  wait: boolean;
  progress: Progress;
}

export interface Restored {
  /** Rows of what was deleted while the backup was made. */
  leftOut: string[];
  /** Secrets that no key opens. */
  unopened: string[];
  /** Tables that have fewer rows now than the backup. */
  missing: string[];
}

/** Bytes first, then rows with what they refer to before them: nobody sees a row whose bytes are not there. */
export async function putBack(restoring: Restoring): Promise<Restored> {
  const { client, directory, manifest, progress } = restoring;
  const outline = await client.outline(null, false);
  requireFitting(manifest, outline);
  const state = await begin(restoring);
  if (state.stage === 'writing') {
    await writeObjects(restoring, state);
    for (const { name } of outline.tables) await writeTable(restoring, state, name);
    state.finishing();
  }
  await finish(client, manifest.id, progress);
  if (restoring.wait) await untilIndexed(restoring);
  const missing = missingRows(manifest, await client.outline(manifest.project, true), state);
  rmSync(directory.restoreState(client.base), { force: true });
  return { leftOut: state.leftOut, unopened: state.unopened, missing };
}

/** A row of this release may have more columns than the backup, if they have a value of their own; never fewer. */
function requireFitting(manifest: Manifest, { release, tables }: Outline): void {
  const known = new Map(tables.map((table) => [table.name, table]));
  for (const { name, columns } of manifest.tables) {
    const table = known.get(name);
    const unknown = table ? columns.find((column) => !table.columns.includes(column)) : name;
    if (unknown !== undefined) {
      const what = table ? `${name}.${unknown}` : `the table ${name}`;
      throw new Damaged(
        `Release ${release} does not know ${what}: restore with release ${manifest.release} or later.`,
      );
    }
    const lacking = table!.required.find((column) => !columns.includes(column));
    if (lacking !== undefined)
      throw new Damaged(`The backup has no ${name}.${lacking}, which release ${release} needs.`);
  }
}

async function begin({
  client,
  directory,
  manifest,
  organization,
  hold,
  progress,
}: Restoring): Promise<PutState> {
  const path = directory.restoreState(client.base);
  const known = PutState.read(path);
  // What follows after it is refused where it is not empty, and it is not any more.
  if (known?.stage === 'finishing') return known;
  const about = { backup_id: manifest.id, project: manifest.project, organization, hold };
  const { resumed } = await client.begin(about);
  if (resumed) progress.done('going on with the restore that was begun');
  return resumed && known ? known : new PutState(path);
}

async function writeObjects(
  { client, directory, manifest, progress }: Restoring,
  state: PutState,
): Promise<void> {
  const path = directory.objectList();
  let [done, bytes] = [0, 0];
  const write = async (lines: Line[]) => {
    const objects = lines.map(({ value }) => objectLine.parse(value));
    await Promise.all(
      objects.map((object) => client.upload(manifest.id, object, directory.object(object.sha256))),
    );
    state.reached('objects', lines.at(-1)!.end);
    done += objects.length;
    for (const { size } of objects) bytes += size;
    progress.tell(`bytes    ${done} objects, ${sizeOf(bytes)}`);
  };
  await inGroups(linesOf(path, state.at('objects')), (group) => group.length >= AT_ONCE, write);
  progress.done(`bytes    ${done} objects, ${sizeOf(bytes)}`);
}

async function writeTable(
  { client, directory, manifest, key, progress }: Restoring,
  state: PutState,
  name: string,
): Promise<void> {
  const table = manifest.tables.find((each) => each.name === name);
  // A table of a later release.
  if (!table) return;
  let done = 0;
  const from = state.at(name);
  const isFull = (group: Line[]) =>
    group.length >= MOST_ROWS || group.at(-1)!.end - group[0]!.end >= MOST_BYTES;
  await inGroups(linesOf(directory.table(name), from), isFull, async (lines) => {
    const rows = lines.map(({ value }) => value as Row);
    const written = await client.write(manifest.id, { table: name, backup_key: key.sealing, rows });
    state.note(
      written.left_out.map((row) => `${name}/${row}`),
      written.unopened.map(({ place, message }) => `${place}: ${message}`),
    );
    state.reached(name, lines.at(-1)!.end);
    done += rows.length;
    progress.tell(`rows     ${name}: ${done} of ${table.rows}`);
  });
  progress.done(`rows     ${name}: ${table.rows}`);
}

async function inGroups(
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
    // An earlier call has ended it, and its answer was lost.
    if (!(cause instanceof RequestFailure) || cause.status !== 404) throw cause;
  }
  progress.done(`begun    ${syncs} pipelines are indexed, ${jobs} jobs taken up again`);
}

async function untilIndexed({ client, manifest, progress }: Restoring): Promise<void> {
  for (let wait = SOON_MS; ; wait = Math.min(SELDOM_MS, wait * 1.2)) {
    const { open_syncs } = await client.outline(manifest.project, false);
    if (open_syncs === 0) break;
    progress.tell(`indexing ${open_syncs} syncs are under way`);
    await sleep(wait);
  }
  progress.done('indexed');
}

/** The installation's own first rows, and runs of syncs, may have come on top. */
function missingRows({ tables }: Manifest, { tables: counted }: Outline, { leftOut }: PutState): string[] {
  const now = new Map(counted.map(({ name, rows }) => [name, rows]));
  return tables.flatMap(({ name, rows }) => {
    const wanted = rows - leftOut.filter((row) => row.startsWith(`${name}/`)).length;
    const found = now.get(name) ?? 0;
    return found < wanted ? [`${name}: ${found} of ${wanted}`] : [];
  });
}
