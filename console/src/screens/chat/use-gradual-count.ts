import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { waitForTurn } from './render-turns.ts';

/** Milliseconds that one task may take to parse and render blocks. */
const TURN_MS = 40;
/** Smallest and largest number of characters that are rendered in one task. */
const TURN_CHARACTERS = { least: 600, most: 4_000 };
/** Characters that a block counts in addition to its text, because each block is parsed on its own. */
const BLOCK_CHARACTERS = 50;

/** Number of characters to render in the next task, which depends on the speed of the device. */
let turnCharacters = TURN_CHARACTERS.least;

/**
 * Returns how many of these blocks to render. The number grows by a few blocks per task until all are rendered, so
 * that a long answer does not block the page.
 */
export function useGradualCount(blocks: readonly string[]): number {
  const [count, setCount] = useState(0);
  const isComplete = count >= blocks.length;
  useEffect(() => {
    if (isComplete) return undefined;
    return waitForTurn(() => {
      const start = performance.now();
      // Rendered at once, because React would otherwise render the blocks of several turns in one task.
      flushSync(() => setCount(addTurn(blocks, count)));
      adaptTurn(performance.now() - start);
    });
  }, [blocks, count, isComplete]);
  return Math.min(count, blocks.length);
}

/** Returns the number of blocks that are rendered after another turn. A turn renders at least one block. */
function addTurn(blocks: readonly string[], count: number): number {
  let end = count;
  let room = turnCharacters;
  do {
    room -= blocks[end]!.length + BLOCK_CHARACTERS;
    end += 1;
  } while (end < blocks.length && room > 0);
  return end;
}

function adaptTurn(elapsed: number): void {
  const { least, most } = TURN_CHARACTERS;
  if (elapsed > TURN_MS) turnCharacters = Math.max(least, turnCharacters / 2);
  else if (elapsed < TURN_MS / 3) turnCharacters = Math.min(most, turnCharacters * 2);
}
