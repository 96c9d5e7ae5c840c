import type { ChunkTools } from './chunker.ts';

/**
 * Number of work steps between two pauses. A step takes about ten microseconds, or up to a hundred for a long
 * word.
 */
const STEPS_PER_PAUSE = 2_048;

/** Counts work steps and tells when a pause is due, so that long work does not block other requests. */
export class Pace {
  readonly pause: () => Promise<void>;
  #steps = 0;

  constructor(tools: Pick<ChunkTools, 'pause'>) {
    this.pause = () => tools.pause();
  }

  isDue(steps = 1): boolean {
    this.#steps += steps;
    if (this.#steps < STEPS_PER_PAUSE) return false;
    this.#steps = 0;
    return true;
  }
}
