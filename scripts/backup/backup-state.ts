import { appendFileSync, existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../import/failures.ts';
import { DamagedBackup, type Directory, readJsonFile, writeAtomically } from './directory.ts';

/**
 * Progress of writing one list of a backup. Anything after `bytes` in the list's file is incomplete and will
 * be removed.
 */
const reached = z.object({
  bytes: z.number(),
  count: z.number(),
  token: z.string().nullable(),
  done: z.boolean(),
});
type Reached = z.infer<typeof reached>;

const state = z.object({
  id: z.uuid(),
  base: z.string(),
  project: z.string().nullable(),
  key_id: z.string(),
  made_at: z.string(),
  unopened: z.array(z.string()),
  lists: z.record(z.string(), reached),
});
type State = z.infer<typeof state>;

/**
 * State of an unfinished backup. It is saved after each page, so that an interrupted backup can be continued.
 */
export class BackupState {
  readonly #directory: Directory;
  readonly #state: State;
  readonly resumed: boolean;

  constructor(directory: Directory, wanted: Pick<State, 'base' | 'project' | 'key_id'>) {
    this.#directory = directory;
    const found = readJsonFile(directory.state());
    this.resumed = found !== undefined;
    if (found === undefined) {
      const made_at = new Date().toISOString();
      this.#state = { id: crypto.randomUUID(), made_at, ...wanted, unopened: [], lists: {} };
      this.save();
      return;
    }
    const read = state.safeParse(found);
    if (!read.success) throw new DamagedBackup(`${directory.state()} is not a state file of a backup.`);
    this.#state = read.data;
    if (read.data.key_id !== wanted.key_id) {
      throw new UsageError(
        'The backup was started with another BACKUP_KEY. Set BACKUP_KEY to the key that was printed at that time.',
      );
    }
    for (const name of ['base', 'project'] as const) {
      if (read.data[name] === wanted[name]) continue;
      throw new UsageError(
        `${directory.root} contains an unfinished backup of another service or project (${name}: ${read.data[name]}). Name another directory.`,
      );
    }
  }

  get about() {
    const { id, made_at, unopened } = this.#state;
    return { id, made_at, unopened };
  }

  list(name: string): Reached {
    return this.#state.lists[name] ?? { bytes: 0, count: 0, token: null, done: false };
  }

  addUnopened(unopened: string[]): void {
    this.#state.unopened.push(...unopened);
  }

  save(): void {
    writeAtomically(this.#directory.state(), JSON.stringify(this.#state));
  }

  /** Appends lines to a list's file and then saves the new position. */
  append(name: string, path: string, values: readonly object[], next: string | null): void {
    const before = this.list(name);
    const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600 });
    truncateSync(path, before.bytes);
    // Writes the whole text or throws. A plain write may stop halfway if the disk is full.
    appendFileSync(path, text);
    const bytes = before.bytes + Buffer.byteLength(text);
    const count = before.count + values.length;
    this.#state.lists[name] = { bytes, count, token: next, done: next === null };
    this.save();
  }
}
