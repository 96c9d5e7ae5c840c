import { afterEach, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Number of the active mutant. With 0, no mutant is active, and each test notes which mutants have been
     * reached so far.
     */
    mutant: number;
  }
  interface TaskMeta {
    reachedMutants?: number[];
  }
}

const active = inject('mutant');
const state = { active, reached: new Set<number>() };
Object.assign(globalThis, { __mutants: state });

if (active === 0) {
  afterEach(({ task }) => {
    task.meta.reachedMutants = [...state.reached];
  });
}
