import { format } from '@cfworker/json-schema';
import type { Pattern } from '#src/lib/text/pattern.ts';

// Makes patterns available to the validation library, which looks every `format` up in one global table of
// functions.

interface Checking {
  patterns: ReadonlyMap<string, Pattern>;
  steps: { addPattern(steps: number): void };
}

let checking: Checking | undefined;

const PREFIX = 'pattern:';

function findPattern(name: string | symbol): ((text: string) => boolean) | undefined {
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
// the patterns of the check in progress, because adding and removing hundreds of patterns per check would be
// slow.
Object.setPrototypeOf(format, new Proxy(Object.create(null), { get: (_, name) => findPattern(name) }));
// The regular expression of the library takes exponential time.
format.url = (text) => /^(?:https?|ftp):\/\/[^\s/]/i.test(text) && URL.canParse(text);

export const toPatternFormat = (pattern: string): string => PREFIX + pattern;

/** Calls `work` while the formats of these patterns are known. `work` must be synchronous. */
export function runWithPatterns<Result>(
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
