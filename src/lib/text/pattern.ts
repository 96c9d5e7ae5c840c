import { RE2JS } from 're2js';
import { DomainError } from '#src/lib/errors.ts';

/** A compiled regular expression that was written by a client. */
export interface Pattern {
  /**
   * Returns whether the pattern matches anywhere in the text. Throws PatternError if the test could take too
   * long.
   */
  test(text: string): boolean;
  /**
   * Yields the parts of a text that match, in order, without overlaps and without empty ones. The search begins at the
   * character `from`. Each match costs as many steps as it takes to read the rest of the text, because the search for it
   * may do so. Throws PatternError if `budget` does not allow the next one.
   */
  findAll(text: string, from: number, budget: StepBudget): Generator<{ start: number; end: number }>;
  /** Number of instructions of the compiled regular expression. */
  size: number;
  /**
   * Returns the maximum number of steps to test a text: instructions of the pattern times characters of the
   * text.
   */
  steps(text: string): number;
}

/** Steps that a search may still take: instructions of the pattern times characters of the text. */
export interface StepBudget {
  left: number;
}

/** Thrown for an invalid pattern, and for one that cannot be matched in time proportional to the text. */
export class PatternError extends DomainError {
  override readonly name = 'PatternError';
  constructor(message: string) {
    super('invalid', message);
  }
}

const MAX_CHARACTERS = 10_000;
/**
 * Maximum number of instructions of a compiled pattern. Each instruction may run once for each character of a
 * text.
 */
const MAX_INSTRUCTIONS = 4_000;
const MAX_STEPS = 50_000_000;
const MAX_CACHED = 400;

const compiled = new Map<string, Pattern>();

/**
 * Compiles a client's regular expression for RE2JS, whose time is linear in the text. The engine of
 * JavaScript backtracks and could run `^(a+)+$` practically forever. The syntax is that of RE2, with the
 * escapes of JavaScript and with `(?i)` and `(?P<name>…)`. Throws PatternError, which names unsupported
 * syntax.
 */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source);
  if (known) return known;
  const pattern = compile(source);
  if (compiled.size >= MAX_CACHED) compiled.delete(compiled.keys().next().value!);
  compiled.set(source, pattern);
  return pattern;
}

function compile(source: string): Pattern {
  if (source.length > MAX_CHARACTERS) {
    throw new PatternError(
      `is too long: it has ${source.length} characters, and the maximum is ${MAX_CHARACTERS}`,
    );
  }
  const unsupported = findUnsupportedSyntax(source);
  if (unsupported) throw new PatternError(`uses ${unsupported}, which is not supported`);
  const program = parse(source);
  const size = program.programSize();
  if (size > MAX_INSTRUCTIONS) throw new PatternError('is too large: use smaller repetition counts');
  const steps = (text: string) => size * text.length;
  const requireFewSteps = (text: string) => {
    if (steps(text) <= MAX_STEPS) return;
    throw new PatternError(
      `A pattern is too complex for a text of ${text.length} characters. Simplify the pattern or shorten the text.`,
    );
  };
  return {
    size,
    steps,
    test(text) {
      requireFewSteps(text);
      return program.test(text);
    },
    *findAll(text, from, budget) {
      const matcher = program.matcher(text);
      for (let at = from; at < text.length; ) {
        budget.left -= size * (text.length - at);
        if (budget.left < 0) throw new PatternError('is too complex for a text of this length');
        if (!matcher.find(at)) return;
        const [start, end] = [matcher.start(), matcher.end()];
        if (end > start) yield { start, end };
        at = end > start ? end : end + 1;
      }
    },
  };
}

function parse(source: string): RE2JS {
  const expression = source.replaceAll(
    /\\(p|P)\{(?:Script|sc|General_Category|gc)=(\w+)\}/g,
    (_, letter: string, name: string) => `\\${letter}{${name}}`,
  );
  try {
    return RE2JS.compile(RE2JS.translateRegExp(expression));
  } catch (error) {
    const reason = (error as Error).message.replace('error parsing regexp: ', '');
    throw new PatternError(`is not a valid regular expression: ${reason}`);
  }
}

/**
 * Returns a description of syntax that backtracking engines support and RE2 does not. Returns `undefined` if
 * the pattern has no such syntax.
 */
function findUnsupportedSyntax(source: string): string | undefined {
  // Removes escaped characters and character classes, which are literal. Back-references are not removed. An
  // unclosed class extends to the end, because a search for its end at each bracket would take quadratic
  // time.
  const bare = source.replaceAll(/\\[^1-9k]|\[(?:\^?\])?(?:\\.|[^\]\\])*(?:\]|$)/gs, '');
  if (/\(\?<?[=!]/.test(bare)) return 'look-around, as in (?=…)';
  if (/\\(?:[1-9]|k<)/.test(bare)) return 'a back-reference, as in \\1';
  if (/\(\?>/.test(bare)) return 'an atomic group, as in (?>…)';
  return undefined;
}
