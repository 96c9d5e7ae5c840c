import { RE2JS } from 're2js';
import { DomainError } from '#src/lib/errors.ts';

/** A regular expression that somebody else wrote. */
export interface Pattern {
  /** Whether it is found in the text. Throws PatternError when that would take too long. */
  test(text: string): boolean;
  /** Instructions of the compiled pattern. */
  size: number;
  /** The most that testing the text takes: instructions of the pattern times characters of the text. */
  steps(text: string): number;
}

/** A pattern that is none, or that cannot be matched in time proportional to the text. */
export class PatternError extends DomainError {
  override readonly name = 'PatternError';
  constructor(message: string) {
    super('invalid', message);
  }
}

const MOST_CHARACTERS = 10_000;
/** Instructions of the compiled pattern: each may be looked at once for each character of a text. */
const MOST_INSTRUCTIONS = 4_000;
const MOST_STEPS = 50_000_000;
const REMEMBERED = 400;

const compiled = new Map<string, Pattern>();

/**
 * Compiles a caller's regular expression for an engine whose time is linear in the text, as the platform's is
 * not: `^(a+)+$` would hold it for ever. Syntax is RE2's, with the escapes of JavaScript and of tools that know
 * `(?i)` and `(?P<name>…)`. Throws PatternError, which names what the engine does not know.
 */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source);
  if (known) return known;
  const pattern = compile(source);
  if (compiled.size >= REMEMBERED) compiled.delete(compiled.keys().next().value!);
  compiled.set(source, pattern);
  return pattern;
}

function compile(source: string): Pattern {
  if (source.length > MOST_CHARACTERS) {
    throw new PatternError(
      `has ${source.length} characters; a pattern may have ${MOST_CHARACTERS}: it is too long`,
    );
  }
  const unsupported = unsupportedPart(source);
  if (unsupported) throw new PatternError(`uses ${unsupported}, which patterns here do not support`);
  const program = parse(source);
  const size = program.programSize();
  if (size > MOST_INSTRUCTIONS) throw new PatternError('is too large: it repeats too much');
  const steps = (text: string) => size * text.length;
  return {
    size,
    steps,
    test(text) {
      if (steps(text) > MOST_STEPS) {
        throw new PatternError(`A pattern is too large for a text of ${text.length} characters.`);
      }
      return program.test(text);
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

/** What backtracking engines know and one that never looks back cannot: told in its name. */
function unsupportedPart(source: string): string | undefined {
  // Escaped characters and those in a class mean themselves; references are escapes. A class that nobody closed
  // takes all the rest: looked for anew at each bracket, its end would take quadratic time.
  const bare = source.replaceAll(/\\[^1-9k]|\[(?:\^?\])?(?:\\.|[^\]\\])*(?:\]|$)/gs, '');
  if (/\(\?<?[=!]/.test(bare)) return 'look-around, as in (?=…)';
  if (/\\(?:[1-9]|k<)/.test(bare)) return 'a back-reference, as in \\1';
  if (/\(\?>/.test(bare)) return 'an atomic group, as in (?>…)';
  return undefined;
}
