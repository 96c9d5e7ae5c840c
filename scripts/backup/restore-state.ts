import { z } from 'zod';
import { DamagedBackup, readJsonFile, writeAtomically } from './directory.ts';

const state = z.object({
  stage: z.enum(['writing', 'finishing']),
  /** Number of bytes of each list file that have been restored, by file. */
  reached: z.record(z.string(), z.number().int().min(0)),
  left_out: z.array(z.string()),
  unopened: z.array(z.string()),
});
type State = z.infer<typeof state>;

/**
 * State of a running restore, stored next to the backup. It is updated after the service has confirmed the
 * data.
 */
export class RestoreState {
  readonly #path: string;
  readonly #state: State;

  constructor(path: string, known?: State) {
    this.#path = path;
    this.#state = known ?? { stage: 'writing', reached: {}, left_out: [], unopened: [] };
    if (!known) this.#save();
  }

  static read(path: string): RestoreState | undefined {
    const found = readJsonFile(path);
    if (found === undefined) return undefined;
    const read = state.safeParse(found);
    if (!read.success) throw new DamagedBackup(`${path} is not a state file of a restore.`);
    return new RestoreState(path, read.data);
  }

  get stage() {
    return this.#state.stage;
  }

  get leftOut() {
    return this.#state.left_out;
  }

  get unopened() {
    return this.#state.unopened;
  }

  getReached(list: string): number {
    return this.#state.reached[list] ?? 0;
  }

  setReached(list: string, bytes: number): void {
    this.#state.reached[list] = bytes;
    this.#save();
  }

  /**
   * Adds rows that were left out and secrets that could not be decrypted. The next call of `setReached` saves
   * them.
   */
  addNotes(leftOut: string[], unopened: string[]): void {
    // Removes duplicates, because a page that is sent again reports the same rows.
    this.#state.left_out = [...new Set([...this.#state.left_out, ...leftOut])];
    this.#state.unopened.push(...unopened);
  }

  startFinishing(): void {
    this.#state.stage = 'finishing';
    this.#save();
  }

  #save(): void {
    writeAtomically(this.#path, JSON.stringify(this.#state));
  }
}
