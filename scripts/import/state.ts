import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { acquireState } from '../state-lock.ts';
import { UsageError } from './failures.ts';

/** Source and target of an import: the address of each server and the project on it. */
export interface Endpoints {
  from: string;
  from_project: string;
  to: string;
  to_project: string;
}

const header = z.object({
  sluice_import: z.literal(1),
  from: z.string(),
  from_project: z.string(),
  to: z.string(),
  to_project: z.string(),
});
const entry = z.object({ kind: z.string(), from: z.string(), to: z.string() });

export interface CopiedItem {
  kind: string;
  /** Id of the object at the source. A file or document of a pipeline has the id `pipeline/member`. */
  from: string;
  to: string;
}

/**
 * Records each copied object as a JSON line, once the target has confirmed the copy. The file contains only
 * ids and addresses. A line that was cut off when a run was killed is ignored.
 */
export class State {
  readonly path: string;
  readonly #done = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #releaseLock: () => void;

  private constructor(path: string, giveBack: () => void) {
    this.path = path;
    this.#releaseLock = giveBack;
  }

  /**
   * Opens or creates the file at `path`. Throws `UsageError` if it belongs to another import or is used by
   * another process.
   */
  static async open(path: string, endpoints: Endpoints): Promise<State> {
    const lock = `${path}.lock`;
    const release = await acquireState(lock);
    if (!release)
      throw new UsageError(
        `Another import is using this state file (${path}). Wait until it ends, or choose another file with --state.`,
      );
    const state = new State(path, () => {
      release();
      rmSync(lock, { recursive: true, force: true });
    });
    try {
      if (existsSync(path)) state.#read(endpoints);
      else state.#createFile(endpoints);
    } catch (cause) {
      state.close();
      throw cause;
    }
    return state;
  }

  get(kind: string, from: string): string | undefined {
    return this.#done.get(key(kind, from));
  }

  /** Returns true if the target object with this id is recorded as a copy. */
  isCopy(kind: string, to: string): boolean {
    return this.#taken.has(key(kind, to));
  }

  put(...done: CopiedItem[]): void {
    appendFileSync(this.path, done.map(line).join(''));
    for (const one of done) this.#addToIndex(one);
  }

  close(): void {
    this.#releaseLock();
  }

  #addToIndex({ kind, from, to }: CopiedItem): void {
    this.#done.set(key(kind, from), to);
    this.#taken.add(key(kind, to));
  }

  #createFile(endpoints: Endpoints): void {
    writeFileSync(this.path, line({ sluice_import: 1, ...endpoints }), { mode: 0o600 });
  }

  #read(endpoints: Endpoints): void {
    const bytes = readFileSync(this.path);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const [first, ...rest] = bytes.subarray(0, end).toString('utf8').split('\n').filter(Boolean);
    if (first === undefined) {
      this.#createFile(endpoints);
      return;
    }
    const found = header.safeParse(parseJson(first));
    if (!found.success)
      throw new UsageError(
        `${this.path} is not a state file of an import. Choose another file with --state.`,
      );
    for (const name of ['from', 'from_project', 'to', 'to_project'] as const) {
      if (found.data[name] === endpoints[name]) continue;
      throw new UsageError(
        `${this.path} belongs to an import with other servers or projects (${name}: ${found.data[name]}). Choose another file with --state.`,
      );
    }
    for (const [index, text] of rest.entries()) {
      const read = entry.safeParse(parseJson(text));
      if (!read.success) throw new UsageError(`${this.path}: line ${index + 2} is damaged.`);
      this.#addToIndex(read.data);
    }
    truncateSync(this.path, end);
  }
}

const key = (kind: string, id: string) => `${kind} ${id}`;
const line = (value: object) => `${JSON.stringify(value)}\n`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
