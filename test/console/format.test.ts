import { expect, it } from 'vitest';
import { ago, bytes, duration } from '../../console/src/ui/format.ts';

it.each([
  [0.42, '0.4 s'],
  [9.96, '10 s'],
  [59.7, '1 min 0 s'],
  [80, '1 min 20 s'],
  [119.7, '2 min 0 s'],
  [3599.6, '1 h 0 min'],
  [7178, '2 h 0 min'],
  [7500, '2 h 5 min'],
  [null, '–'],
])('a duration of %s seconds is %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

const NOW = Date.parse('2026-03-14T12:00:00Z');

it.each([
  [44, 'just now'],
  [45, '1 min ago'],
  [3569, '59 min ago'],
  [3571, '1 h ago'],
  [3599, '1 h ago'],
  [23 * 3600 + 1799, '23 h ago'],
  [23 * 3600 + 1801, '1 day ago'],
  [13 * 86_400, '13 days ago'],
])('%i seconds ago is %s', (seconds, text) => {
  expect(ago(new Date(NOW - seconds * 1000).toISOString(), NOW)).toBe(text);
});

it('a time two weeks ago is a date', () => {
  expect(ago(new Date(NOW - 13.7 * 86_400_000).toISOString(), NOW)).toMatch(/2026/);
});

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [10_239, '10 KiB'],
  [1_048_570, '1.0 MiB'],
  [5 * 1024 ** 5, '5120 TiB'],
])('%i bytes are %s', (size, text) => {
  expect(bytes(size)).toBe(text);
});

it('never shows a part that should have been carried over', () => {
  for (let seconds = 0; seconds < 8000; seconds += 0.7) {
    expect(duration(seconds)).not.toMatch(/\b60 (s|min)\b/);
    const shown = ago(new Date(NOW - seconds * 100_000).toISOString(), NOW);
    expect(shown).not.toMatch(/\b60 min|\b24 h/);
    expect(bytes(seconds ** 3)).not.toMatch(/^1024 /);
  }
});
