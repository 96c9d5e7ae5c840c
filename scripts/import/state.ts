import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { holdState } from '../state-lock.ts';
import { WrongUse } from './failures.ts';

/** Between which projects of which servers things are moved. */
export interface Way {
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

export interface Done {
  kind: string;
  /** Id at the source; of members of a pipeline `pipeline/member`. */
  from: string;
  to: string;
}

/**
 * What is at the target already: a line of JSON each, appended once the target has answered. Holds ids and addresses
 * only. A line that a kill cut off is dropped when the file is read again.
 */
export class State {
  readonly path: string;
  readonly #done = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #giveBack: () => void;

  private constructor(path: string, giveBack: () => void) {
    this.path = path;
    this.#giveBack = giveBack;
  }

  /** Opens or begins the file at `path`. Throws WrongUse when it belongs to another move or to another process. */
  static async open(path: string, way: Way): Promise<State> {
    const lock = `${path}.lock`;
    const release = await holdState(lock);
    if (!release) throw new WrongUse(`Another import is under way with this state: it holds ${lock}.`);
    const state = new State(path, () => {
      release();
      rmSync(lock, { recursive: true, force: true });
    });
    try {
      if (existsSync(path)) state.#read(way);
      else state.#begin(way);
    } catch (cause) {
      state.close();
      throw cause;
    }
    return state;
  }

  get(kind: string, from: string): string | undefined {
    return this.#done.get(key(kind, from));
  }

  /** Whether what has this id at the target is the copy of something already. */
  isTaken(kind: string, to: string): boolean {
    return this.#taken.has(key(kind, to));
  }

  put(...done: Done[]): void {
    appendFileSync(this.path, done.map(line).join(''));
    for (const one of done) this.#keep(one);
  }

  close(): void {
    this.#giveBack();
  }

  #keep({ kind, from, to }: Done): void {
    this.#done.set(key(kind, from), to);
    this.#taken.add(key(kind, to));
  }

  #begin(way: Way): void {
    writeFileSync(this.path, line({ sluice_import: 1, ...way }), { mode: 0o600 });
  }

  #read(way: Way): void {
    const bytes = readFileSync(this.path);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const [first, ...rest] = bytes.subarray(0, end).toString('utf8').split('\n').filter(Boolean);
    if (first === undefined) {
      this.#begin(way);
      return;
    }
    const begun = header.safeParse(parsed(first));
    if (!begun.success) throw new WrongUse(`${this.path} is not the state of an import.`);
    for (const name of ['from', 'from_project', 'to', 'to_project'] as const) {
      if (begun.data[name] === way[name]) continue;
      throw new WrongUse(
        `${this.path} belongs to another move (${name}: ${begun.data[name]}); name another --state.`,
      );
    }
    for (const [index, text] of rest.entries()) {
      const read = entry.safeParse(parsed(text));
      if (!read.success) throw new WrongUse(`${this.path}: line ${index + 2} is damaged.`);
      this.#keep(read.data);
    }
    truncateSync(this.path, end);
  }
}

const key = (kind: string, id: string) => `${kind} ${id}`;
const line = (value: object) => `${JSON.stringify(value)}\n`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
