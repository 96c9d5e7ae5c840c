import { expect, test } from 'vitest';
import { inCharacters } from '#src/ingest/chunking/measure.ts';
import { Pace } from '#src/ingest/chunking/pace.ts';
import { refine } from '#src/ingest/chunking/pack.ts';
import { words } from '#src/ingest/chunking/splitters.ts';

test('cutting a long text into words tiles it and lets others have their turn', async () => {
  let pauses = 0;
  const pace = new Pace({
    async pause() {
      pauses += 1;
    },
  });
  const text = 'word '.repeat(10_000);
  const budget = { measure: inCharacters, limit: 5, overlap: 0, pace };
  const pieces = await refine(text, { start: 0, end: text.length }, budget, words);
  expect(pieces).toHaveLength(10_000);
  expect(pieces.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  expect(pauses).toBeGreaterThanOrEqual(4);
});
