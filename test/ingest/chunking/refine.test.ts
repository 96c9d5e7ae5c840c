import { expect, test } from 'vitest';
import { characterMeasure } from '#src/ingest/chunking/measure.ts';
import { Pace } from '#src/ingest/chunking/pace.ts';
import { refine } from '#src/ingest/chunking/pack.ts';
import { wordSplitters } from '#src/ingest/chunking/splitters.ts';

test('splitting a long text into words covers the text and pauses regularly', async () => {
  let pauses = 0;
  const pace = new Pace({
    async pause() {
      pauses += 1;
    },
  });
  const text = 'word '.repeat(10_000);
  const budget = { measure: characterMeasure, limit: 5, overlap: 0, pace };
  const pieces = await refine(text, { start: 0, end: text.length }, budget, wordSplitters);
  expect(pieces).toHaveLength(10_000);
  expect(pieces.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  expect(pauses).toBeGreaterThanOrEqual(4);
});
