import { format } from '@cfworker/json-schema';
import { compilePattern } from '#src/lib/pattern.ts';

// The validation library keeps its formats in one table of functions, asked for each text that a `format` is on.

// Else `constructor` were a format, and every text one.
Object.setPrototypeOf(format, null);
// The library's own expression for it takes exponential time.
format.url = (text) => /^(?:https?|ftp):\/\/[^\s/]/i.test(text) && URL.canParse(text);

const PREFIX = 'pattern:';

/** A format that a text has which the pattern is found in. */
export const patternFormat = (pattern: string): string => PREFIX + pattern;

/** Calls `work` while the formats of these patterns are known. `work` is over when it returns. */
export function withPatterns<Result>(patterns: readonly string[], work: () => Result): Result {
  for (const pattern of patterns) {
    const { test } = compilePattern(pattern);
    format[patternFormat(pattern)] = test;
  }
  try {
    return work();
  } finally {
    for (const pattern of patterns) delete format[patternFormat(pattern)];
  }
}
