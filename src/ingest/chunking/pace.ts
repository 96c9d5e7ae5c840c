import type { ChunkTools } from './chunker.ts';

/** Steps between two pauses. A step takes about ten microseconds, or up to a hundred for a long word. */
const STEPS = 2_048;

/** Tells when enough work was done without interruption, so that other requests get their turn. */
export class Pace {
  readonly pause: () => Promise<void>;
  #steps = 0;

  constructor(tools: Pick<ChunkTools, 'pause'>) {
    this.pause = () => tools.pause();
  }

  /** Announces work and returns whether a pause is due. */
  isDue(steps = 1): boolean {
    this.#steps += steps;
    if (this.#steps < STEPS) return false;
    this.#steps = 0;
    return true;
  }
}
