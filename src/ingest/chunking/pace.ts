import type { ChunkTools } from './chunker.ts';

/** Steps of about ten microseconds each; a step that has to count a long word takes up to a hundred. */
const STEPS = 2_048;

/** Says when enough work has been done at a stretch that others should have their turn. */
export class Pace {
  readonly pause: () => Promise<void>;
  #steps = 0;

  constructor(tools: Pick<ChunkTools, 'pause'>) {
    this.pause = () => tools.pause();
  }

  /** `steps` are about to be done. */
  isDue(steps = 1): boolean {
    this.#steps += steps;
    if (this.#steps < STEPS) return false;
    this.#steps = 0;
    return true;
  }
}
