import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCrowdedFolders, findSmallParts, findUnimported } from './file-measures.ts';
import { findLongFunctions } from './functions.ts';
import { readSourceFiles } from './source-files.ts';

/** Path of the exceptions file, relative to the root of a checkout. */
export const EXCEPTIONS_FILE = 'scripts/structure/exceptions.json';

/** Places of a source tree that break a rule of structure. The exceptions file has the same form. */
export interface Exceptions {
  /** Number of lines of each function that is too long, by `path#name`. */
  longFunctions: Record<string, number>;
  /** Number of files directly in each folder that has too many, by path. */
  crowdedFolders: Record<string, number>;
  smallFiles: string[];
  /**
   * Paths of files that no file of the service imports. They are entries, or files that only scripts or the
   * console use.
   */
  unimportedFiles: string[];
}

export function findExceptions(root: string): Exceptions {
  const files = readSourceFiles(root);
  return {
    longFunctions: toSortedRecord(findLongFunctions(root).map(({ key, lines }) => [key, lines])),
    crowdedFolders: toSortedRecord(findCrowdedFolders(files).map(({ label, count }) => [label, count])),
    smallFiles: findSmallParts(files).map(({ path }) => path),
    unimportedFiles: findUnimported(files),
  };
}

/** Keeps the exceptions that are still needed, with the smaller of the allowed and the measured size. */
export function shrinkExceptions(allowed: Exceptions, found: Exceptions): Exceptions {
  return {
    longFunctions: shrinkSizes(allowed.longFunctions, found.longFunctions),
    crowdedFolders: shrinkSizes(allowed.crowdedFolders, found.crowdedFolders),
    smallFiles: allowed.smallFiles.filter((path) => found.smallFiles.includes(path)),
    unimportedFiles: allowed.unimportedFiles.filter((path) => found.unimportedFiles.includes(path)),
  };
}

export function readExceptions(root: string): Exceptions {
  return JSON.parse(readFileSync(join(root, EXCEPTIONS_FILE), 'utf8')) as Exceptions;
}

export function writeExceptions(root: string, exceptions: Exceptions): void {
  writeFileSync(join(root, EXCEPTIONS_FILE), `${JSON.stringify(exceptions, null, 2)}\n`);
}

function shrinkSizes(allowed: Record<string, number>, found: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(allowed).flatMap(([place, size]) => {
      const actual = found[place];
      return actual === undefined ? [] : [[place, Math.min(size, actual)]];
    }),
  );
}

const toSortedRecord = (entries: [string, number][]): Record<string, number> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
