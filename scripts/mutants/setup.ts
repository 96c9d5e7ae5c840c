import { afterAll, beforeEach, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The mutant that is awake, 0 for none, and where to tell which ones a file's tests reached. */
    mutant: { id: number; reachedUrl: string };
  }
}

const { id, reachedUrl } = inject('mutant');
const state = { active: id, reached: new Set<number>() };
Object.assign(globalThis, { __mutants: state });
const send = fetch;

if (id === 0) {
  let file = '';
  beforeEach(({ task }) => {
    file = task.file.name;
  });
  afterAll(async () => {
    await send(reachedUrl, { method: 'POST', body: JSON.stringify({ file, reached: [...state.reached] }) });
    state.reached.clear();
  });
}
