import { afterEach, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The mutant that is awake; 0 for none: each test then notes which ones were reached so far. */
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
