import { format } from '@cfworker/json-schema';
import type { Pattern } from '#src/lib/text/pattern.ts';

// Patterns for the validation library, which looks every `format` up in one table of functions.

interface Checking {
  patterns: ReadonlyMap<string, Pattern>;
  steps: { addPattern(steps: number): void };
}

/** The current check. */
let checking: Checking | undefined;

const PREFIX = 'pattern:';

function patternNamed(name: string | symbol): ((text: string) => boolean) | undefined {
  if (typeof name !== 'string' || !checking || !name.startsWith(PREFIX)) return undefined;
  const { patterns, steps } = checking;
  const pattern = patterns.get(name.slice(PREFIX.length));
  if (!pattern) return undefined;
  return (text) => {
    steps.addPattern(pattern.steps(text));
    return pattern.test(text);
  };
}

// With the default prototype, `constructor` would be a format that every text fulfils. This prototype returns
// the patterns of the current check, because adding and removing hundreds of them per check would be slow.
Object.setPrototypeOf(format, new Proxy(Object.create(null), { get: (_, name) => patternNamed(name) }));
// The library's own expression takes exponential time.
format.url = (text) => /^(?:https?|ftp):\/\/[^\s/]/i.test(text) && URL.canParse(text);

/** Returns the format that a text has if the pattern matches. */
export const patternFormat = (pattern: string): string => PREFIX + pattern;

/** Calls `work` while the formats of these patterns are known. `work` must be synchronous. */
export function withPatterns<Result>(
  patterns: Checking['patterns'],
  steps: Checking['steps'],
  work: () => Result,
): Result {
  checking = { patterns, steps };
  try {
    return work();
  } finally {
    checking = undefined;
  }
}
