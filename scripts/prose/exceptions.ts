import { readFileSync, writeFileSync } from 'node:fs';
import type { Problem, Rule } from './rules.ts';

export const EXCEPTIONS_FILE = 'scripts/prose/exceptions.json';

/** Number of allowed prose problems by file and rule. */
export type Exceptions = Record<string, Partial<Record<Rule, number>>>;

export interface FileProblem extends Problem {
  file: string;
  line: number;
}

export const readExceptions = (): Exceptions => JSON.parse(readFileSync(EXCEPTIONS_FILE, 'utf8'));

export function writeExceptions(exceptions: Exceptions): void {
  writeFileSync(EXCEPTIONS_FILE, `${JSON.stringify(exceptions, undefined, 2)}\n`);
}

export function countProblems(problems: readonly FileProblem[]): Exceptions {
  const counts: Exceptions = {};
  for (const { file, rule } of problems) {
    counts[file] ??= {};
    counts[file][rule] = (counts[file][rule] ?? 0) + 1;
  }
  return counts;
}

/** Returns the problems of each file and rule whose number exceeds the allowed number. */
export function findNewProblems(problems: readonly FileProblem[], allowed: Exceptions): FileProblem[] {
  const counts = countProblems(problems);
  return problems.filter(({ file, rule }) => counts[file]![rule]! > (allowed[file]?.[rule] ?? 0));
}

/**
 * Lowers each allowed number to the current number of problems, and removes exceptions that are no longer
 * needed.
 */
export function shrinkExceptions(allowed: Exceptions, counts: Exceptions): Exceptions {
  const shrunk: Exceptions = {};
  for (const [file, rules] of Object.entries(allowed)) {
    const left = Object.entries(rules).flatMap(([rule, number]) => {
      const present = counts[file]?.[rule as Rule] ?? 0;
      return present > 0 ? [[rule, Math.min(number, present)] as const] : [];
    });
    if (left.length > 0) shrunk[file] = Object.fromEntries(left);
  }
  return shrunk;
}
