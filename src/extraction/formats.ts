import { format } from '@cfworker/json-schema';
import type { Pattern } from '#src/lib/text/pattern.ts';

// The validation library keeps its formats in one table of functions, asked for each text that a `format` is on.

interface Checking {
  patterns: ReadonlyMap<string, Pattern>;
  steps: { addPattern(steps: number): void };
}

/** The check that is going on. */
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

// With the prototype of other objects, `constructor` would be a format, and every text would have it. With this one, the
// patterns of the check that is going on are formats: adding and removing hundreds for each check would take too long.
Object.setPrototypeOf(format, new Proxy(Object.create(null), { get: (_, name) => patternNamed(name) }));
// The library's own expression for it takes exponential time.
format.url = (text) => /^(?:https?|ftp):\/\/[^\s/]/i.test(text) && URL.canParse(text);

/** A format that a text has which the pattern is found in. */
export const patternFormat = (pattern: string): string => PREFIX + pattern;

/** Calls `work` while the formats of these patterns are known. `work` is over when it returns. */
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
