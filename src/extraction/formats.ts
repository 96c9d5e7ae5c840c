import { format } from '@cfworker/json-schema';
import type { Pattern } from '#src/lib/text/pattern.ts';

// Registers regular expressions as JSON Schema formats, because the validation library looks every `format`
// up in one global table.

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

// Without this prototype, `constructor` would count as a format that every text fulfils. The prototype
// returns the patterns of the current check. Adding and removing hundreds of patterns for every check would
// be slow.
Object.setPrototypeOf(format, new Proxy(Object.create(null), { get: (_, name) => findPattern(name) }));
// Replaces the library's regular expression for URLs, which can take exponential time.
format.url = (text) => /^(?:https?|ftp):\/\/[^\s/]/i.test(text) && URL.canParse(text);

export const toPatternFormat = (pattern: string): string => PREFIX + pattern;

/** Calls `work` while the given patterns are available as formats. `work` must be synchronous. */
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
