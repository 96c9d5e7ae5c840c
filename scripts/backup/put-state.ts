import { z } from 'zod';
import { Damaged, readJsonFile, writeWhole } from './directory.ts';

const state = z.object({
  stage: z.enum(['writing', 'finishing']),
  /** How far each list has come, in bytes of its file. */
  reached: z.record(z.string(), z.number().int().min(0)),
  left_out: z.array(z.string()),
  unopened: z.array(z.string()),
});
type State = z.infer<typeof state>;

/** A restore that is under way, beside the backup: written once the service has what it speaks of. */
export class PutState {
  readonly #path: string;
  readonly #state: State;

  constructor(path: string, known?: State) {
    this.#path = path;
    this.#state = known ?? { stage: 'writing', reached: {}, left_out: [], unopened: [] };
    if (!known) this.#save();
  }

  static read(path: string): PutState | undefined {
    const found = readJsonFile(path);
    if (found === undefined) return undefined;
    const read = state.safeParse(found);
    if (!read.success) throw new Damaged(`${path} is not the state of a restore.`);
    return new PutState(path, read.data);
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

  at(list: string): number {
    return this.#state.reached[list] ?? 0;
  }

  reached(list: string, bytes: number): void {
    this.#state.reached[list] = bytes;
    this.#save();
  }

  /** Written with the next place that is reached. */
  note(leftOut: string[], unopened: string[]): void {
    // A row that a later one replaces may be told of once more when its page is sent again.
    this.#state.left_out = [...new Set([...this.#state.left_out, ...leftOut])];
    this.#state.unopened.push(...unopened);
  }

  finishing(): void {
    this.#state.stage = 'finishing';
    this.#save();
  }

  #save(): void {
    writeWhole(this.#path, JSON.stringify(this.#state));
  }
}
