import { appendFileSync, existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { WrongUse } from '../import/failures.ts';
import { Damaged, type Directory, readJsonFile, writeWhole } from './directory.ts';

/** How far one list of lines has come: what is behind `bytes` in its file was not finished. */
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

/** A backup that is being made: written after each page, so that an interrupted one goes on where it was. */
export class TakeState {
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
    if (!read.success) throw new Damaged(`${directory.state()} is not the state of a backup.`);
    this.#state = read.data;
    if (read.data.key_id !== wanted.key_id) {
      throw new WrongUse('The backup was begun with another BACKUP_KEY: give the one that was shown then.');
    }
    for (const name of ['base', 'project'] as const) {
      if (read.data[name] === wanted[name]) continue;
      throw new WrongUse(
        `${directory.root} holds another backup that was begun (${name}: ${read.data[name]}).`,
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

  note(unopened: string[]): void {
    this.#state.unopened.push(...unopened);
  }

  save(): void {
    writeWhole(this.#directory.state(), JSON.stringify(this.#state));
  }

  /** Adds lines to the list's file, then says how far it has come. */
  append(name: string, path: string, values: readonly object[], next: string | null): void {
    const before = this.list(name);
    const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) writeFileSync(path, '', { mode: 0o600 });
    truncateSync(path, before.bytes);
    // Writes all of the text or throws; a single write may stop in the middle when the disk is full.
    appendFileSync(path, text);
    const bytes = before.bytes + Buffer.byteLength(text);
    const count = before.count + values.length;
    this.#state.lists[name] = { bytes, count, token: next, done: next === null };
    this.save();
  }
}
