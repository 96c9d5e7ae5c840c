/** Callbacks that wait for a turn. The newest answer of a conversation waits last and is served first. */
const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * Calls `work` in a task of its own, so that the browser handles input and draws between the turns of a whole page.
 * Returns a function that gives the turn up.
 */
export function waitForTurn(work: () => void): () => void {
  waiting.push(work);
  schedule();
  return () => {
    const position = waiting.indexOf(work);
    if (position >= 0) waiting.splice(position, 1);
  };
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    try {
      waiting.pop()?.();
    } finally {
      schedule();
    }
  });
}
