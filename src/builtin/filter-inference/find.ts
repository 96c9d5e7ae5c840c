import { escapeRegExp } from '#src/lib/text/escape-regexp.ts';
import type { QueryState, Span } from './query-state.ts';
import type { Property } from './schema.ts';

/** Maximum distance in characters between the name of a property and its value. */
const MAX_NAME_DISTANCE = 28;

/**
 * Returns where a phrase occurs in the query, ignoring case. Only whole words match, except in scripts
 * without spaces. With `plural`, plural endings match too.
 */
export function findPhrase(query: string, phrase: string, plural = false): Span[] {
  const escaped = escapeRegExp(phrase.trim()).replace(/[\s_]+/g, '[\\s_-]+');
  const spaced = !/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u.test(phrase);
  const [left, right] = spaced
    ? ['(?<![\\p{L}\\p{N}])', `${plural ? "(?:e?s|'s)?" : ''}(?![\\p{L}\\p{N}])`]
    : ['', ''];
  // Phrases of one or two letters are easily confused with ordinary words, so upper and lower case must
  // match.
  const flags = phrase.trim().length <= 2 ? 'gu' : 'giu';
  return [...query.matchAll(new RegExp(left + escaped + right, flags))].map((match) => [
    match.index,
    match.index + match[0].length,
  ]);
}

export function isUnused({ used }: QueryState, [start, end]: Span): boolean {
  return used.every(([from, to]) => end <= from || to <= start);
}

/** Returns whether a property's name occurs near a range of the query, before or after it. */
export function isNamedNear({ query }: QueryState, { labels }: Property, [start, end]: Span): boolean {
  return labels.some((label) =>
    [label, ...label.split(' ').filter((word) => word.length > 3)].some((name) =>
      findPhrase(query, name, true).some(
        ([from, to]) =>
          (to <= start && start - to <= MAX_NAME_DISTANCE) ||
          (from >= end && from - end <= MAX_NAME_DISTANCE / 2),
      ),
    ),
  );
}
