import { dirname } from 'node:path';
import { findImporters, type SourceFile } from './source-files.ts';

export const MAX_FILES_IN_FOLDER = 20;
/** Minimum number of lines of a file with a single importer. A shorter file belongs in its importer. */
export const MIN_LINES_OF_PART = 25;

/** Label of a class of files or functions, and the number of its members. */
export interface Count {
  label: string;
  count: number;
}

const isInSrc = ({ path }: { path: string }) => path.startsWith('src/');

export const filesOfSrc = (files: readonly SourceFile[]): SourceFile[] => files.filter(isInSrc);

export function countBySize(files: readonly SourceFile[]): Count[] {
  return countByRange(
    filesOfSrc(files).map(({ lines }) => lines),
    [20, 80, 250],
    'line',
  );
}

/** Counts the files of `src` by the number of service files that import them. */
export function countByImporters(files: readonly SourceFile[]): Count[] {
  const importers = findImporters(files);
  const numbers = filesOfSrc(files).map(({ path }) => importers.get(path)!.length);
  return countByRange(numbers, [0, 1, 5], 'importer');
}

/**
 * Counts how many of the numbers fall into each range. Each limit is the upper end of a range, and the last
 * range has no upper end.
 */
function countByRange(numbers: readonly number[], limits: readonly number[], unit: string): Count[] {
  const counts = limits.map((limit, at) => {
    const from = at === 0 ? 0 : limits[at - 1]! + 1;
    const label = from === limit ? `${limit} ${unit}${limit === 1 ? '' : 's'}` : `${from}-${limit} ${unit}s`;
    return { label, count: numbers.filter((number) => number >= from && number <= limit).length };
  });
  const last = limits.at(-1)!;
  return [
    ...counts,
    { label: `more than ${last} ${unit}s`, count: numbers.filter((each) => each > last).length },
  ];
}

export interface SmallPart {
  path: string;
  lines: number;
  importer: string;
}

/** Finds the files of `src` that have fewer than `MIN_LINES_OF_PART` lines and exactly one importer. */
export function findSmallParts(files: readonly SourceFile[]): SmallPart[] {
  const importers = findImporters(files);
  return filesOfSrc(files).flatMap(({ path, lines }) => {
    const [importer, ...others] = importers.get(path)!;
    if (lines >= MIN_LINES_OF_PART || importer === undefined || others.length > 0) return [];
    return [{ path, lines, importer }];
  });
}

/**
 * Finds the files of `src` that no file of the service imports, such as a driver that is missing from its
 * registry.
 */
export function findUnimported(files: readonly SourceFile[]): string[] {
  const importers = findImporters(files);
  return filesOfSrc(files).flatMap(({ path }) => (importers.get(path)!.length === 0 ? [path] : []));
}

/** Finds the folders of `src` that directly contain more than `MAX_FILES_IN_FOLDER` files. */
export function findCrowdedFolders(files: readonly SourceFile[]): Count[] {
  const counts = Map.groupBy(filesOfSrc(files), ({ path }) => dirname(path));
  return [...counts]
    .filter(([, { length }]) => length > MAX_FILES_IN_FOLDER)
    .map(([label, { length }]) => ({ label, count: length }))
    .toSorted((a, b) => b.count - a.count);
}

/**
 * Finds the pairs of folders of `src` that import each other. A file belongs only to the folder that directly
 * contains it, so a folder and its child count as two folders.
 */
export function findMutualFolders(files: readonly SourceFile[]): (readonly [string, string])[] {
  const edges = new Set<string>();
  for (const { path, imports } of filesOfSrc(files)) {
    for (const target of imports) {
      if (target.startsWith('src/')) edges.add(`${dirname(path)}\n${dirname(target)}`);
    }
  }
  return [...edges]
    .map((edge) => edge.split('\n') as [string, string])
    .filter(([from, to]) => from < to && edges.has(`${to}\n${from}`))
    .toSorted();
}

/** Counts files and lines by the first two folders of their paths, such as `src/sinks` or `parser`. */
export function measureTopFolders(
  files: readonly SourceFile[],
): { folder: string; files: number; lines: number }[] {
  const groups = Map.groupBy(files, ({ path }) => dirname(path).split('/').slice(0, 2).join('/'));
  return [...groups]
    .map(([folder, members]) => ({
      folder,
      files: members.length,
      lines: members.reduce((sum, { lines }) => sum + lines, 0),
    }))
    .toSorted((a, b) => a.folder.localeCompare(b.folder));
}

/**
 * Matches the files that declare the parse parameters, both in the current tree and in the tree before rooms
 * became folders.
 */
const PARSE_PARAMETERS = /^src\/(?:parsing\/parameters\.ts|parse\/parameters\.ts|parse\/parameters\/)/;

/** Counts the files that import the declarations of the parse parameters from outside. */
export function countParameterImporters(files: readonly SourceFile[]): number {
  return files.filter(
    ({ path, imports }) =>
      !PARSE_PARAMETERS.test(path) && imports.some((each) => PARSE_PARAMETERS.test(each)),
  ).length;
}
