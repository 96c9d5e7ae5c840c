import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { MarkdownBlock } from './large-blocks.ts';
import { waitForTurn } from './render-turns.ts';

/** Milliseconds that one task may take to parse and render blocks. */
const TURN_MS = 40;
/** Smallest and largest number of characters that are rendered in one task. */
const TURN_CHARACTERS = { least: 600, most: 2_500 };
/** Characters that a block counts in addition to its text, because each block is parsed on its own. */
const BLOCK_CHARACTERS = 50;

/** Number of characters to render in the next task, which depends on the speed of the device. */
let turnCharacters = TURN_CHARACTERS.least;

/**
 * Returns how many of these blocks to render. The number grows by a few blocks per task until all are rendered, so
 * that a long answer does not block the page. Text that was rendered stays rendered if it is split into other blocks.
 */
export function useGradualCount(blocks: readonly MarkdownBlock[]): number {
  /** Offset in the whole text at which the rendered part ends. */
  const [end, setEnd] = useState(0);
  const count = countBefore(blocks, end);
  const isComplete = count >= blocks.length;
  const total = measureEnd(blocks);
  if (isComplete && end < total) setEnd(total);
  useEffect(() => {
    if (isComplete) return undefined;
    return waitForTurn(() => {
      const start = performance.now();
      // Rendered at once, because React would otherwise render the blocks of several turns in one task.
      flushSync(() => setEnd(addTurn(blocks, count)));
      adaptTurn(performance.now() - start);
    });
  }, [blocks, count, isComplete]);
  return count;
}

/** Returns the number of blocks that begin before an offset. */
function countBefore(blocks: readonly MarkdownBlock[], end: number): number {
  const first = blocks.findIndex(({ start }) => start >= end);
  return first < 0 ? blocks.length : first;
}

/** Returns the offset at which the rendered part ends after another turn. A turn renders at least one block. */
function addTurn(blocks: readonly MarkdownBlock[], count: number): number {
  let position = count;
  let room = turnCharacters;
  do {
    room -= blocks[position]!.text.length + BLOCK_CHARACTERS;
    position += 1;
  } while (position < blocks.length && room > 0);
  return measureEnd(blocks.slice(0, position));
}

const measureEnd = (blocks: readonly MarkdownBlock[]): number => {
  const last = blocks.at(-1);
  return last ? last.start + Math.max(1, last.text.length - last.prefix) : 0;
};

function adaptTurn(elapsed: number): void {
  const { least, most } = TURN_CHARACTERS;
  if (elapsed > TURN_MS) turnCharacters = Math.max(least, turnCharacters / 2);
  else if (elapsed < TURN_MS / 3) turnCharacters = Math.min(most, turnCharacters * 2);
}
