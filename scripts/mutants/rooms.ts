import { globSync } from 'node:fs';
import type { MutantRoom } from './rooms/define.ts';
import { DOCUMENT_ROOMS } from './rooms/documents.ts';
import { DRIVER_ROOMS } from './rooms/drivers.ts';
import { INTERFACE_ROOMS } from './rooms/interfaces.ts';
import { QUESTION_ROOMS } from './rooms/questions.ts';
import { SERVICE_ROOMS } from './rooms/service.ts';

/** All rooms, by name. The name selects the room on the command line. */
export const MUTANT_ROOMS: Readonly<Record<string, MutantRoom>> = {
  ...SERVICE_ROOMS,
  ...QUESTION_ROOMS,
  ...DRIVER_ROOMS,
  ...DOCUMENT_ROOMS,
  ...INTERFACE_ROOMS,
};

const SLOW_TEST = '.slow.test.ts';

export const listSourceFiles = ({ files }: MutantRoom): string[] => listMatches(files);

/** Lists the usual test files of a room. Slow tests are left out. */
export const listTestFiles = ({ tests }: MutantRoom): string[] =>
  listMatches(tests).filter((file) => !file.endsWith(SLOW_TEST));

const listMatches = (patterns: readonly string[]): string[] =>
  [...new Set(patterns.flatMap((pattern) => globSync(pattern)))].toSorted();

/**
 * Returns a message for each pattern that matches no file and for each source file that belongs to two rooms.
 * Both happen when files are moved.
 */
export function findRoomProblems(): string[] {
  const problems: string[] = [];
  const roomByFile = new Map<string, string>();
  for (const [name, room] of Object.entries(MUTANT_ROOMS)) {
    for (const pattern of [...room.files, ...room.tests].flatMap(expandBraces)) {
      if (globSync(pattern).length === 0) problems.push(`Room '${name}': no file matches ${pattern}.`);
    }
    for (const file of listSourceFiles(room)) {
      const other = roomByFile.get(file);
      if (other) problems.push(`${file} belongs to two rooms: '${other}' and '${name}'.`);
      roomByFile.set(file, name);
    }
  }
  return problems;
}

/** Returns the alternatives of a pattern, such as `a/x.ts` and `a/y.ts` for `a/{x,y}.ts`. */
function expandBraces(pattern: string): string[] {
  const braces = /\{([^{}]*)\}/.exec(pattern);
  if (!braces) return [pattern];
  const [whole, list] = braces;
  return list!.split(',').flatMap((each) => expandBraces(pattern.replace(whole, () => each)));
}
