import { escapeRegExp } from '#src/lib/text/escape-regexp.ts';
import type { Reading, Span } from './reading.ts';
import type { Property } from './schema.ts';

/** How far, in characters, a property's name may be from the value it goes with. */
const NEAR = 28;

/** Where a phrase stands in the query as whole words (anywhere for scripts without spaces); case is ignored. */
export function find(query: string, phrase: string, plural = false): Span[] {
  const escaped = escapeRegExp(phrase.trim()).replace(/[\s_]+/g, '[\\s_-]+');
  const spaced = !/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u.test(phrase);
  const [left, right] = spaced
    ? ['(?<![\\p{L}\\p{N}])', `${plural ? "(?:e?s|'s)?" : ''}(?![\\p{L}\\p{N}])`]
    : ['', ''];
  // One or two letters are too easily a word of the sentence: their case must agree.
  const flags = phrase.trim().length <= 2 ? 'gu' : 'giu';
  return [...query.matchAll(new RegExp(left + escaped + right, flags))].map((match) => [
    match.index,
    match.index + match[0].length,
  ]);
}

export function isFree({ taken }: Reading, [start, end]: Span): boolean {
  return taken.every(([from, to]) => end <= from || to <= start);
}

/** Whether one of the property's names stands close to a stretch, before or behind it. */
export function isNamedNear({ query }: Reading, { labels }: Property, [start, end]: Span): boolean {
  return labels.some((label) =>
    [label, ...label.split(' ').filter((word) => word.length > 3)].some((name) =>
      find(query, name, true).some(
        ([from, to]) => (to <= start && start - to <= NEAR) || (from >= end && from - end <= NEAR / 2),
      ),
    ),
  );
}
