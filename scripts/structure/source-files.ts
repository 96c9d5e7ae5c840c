import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Folders of the running service. Only their files count as importers. */
export const SERVICE_FOLDERS = ['src', 'durable-objects', 'queues', 'parser', 'ocr', 'server'] as const;

/** Source file of the service, with the service files that it imports. */
export interface SourceFile {
  /** Path relative to the root of the checkout, with forward slashes. */
  path: string;
  text: string;
  lines: number;
  /** Paths of imported files that exist, including type imports. */
  imports: readonly string[];
}

const ALIASES: readonly (readonly [prefix: string, folder: string])[] = [
  ['#src/', 'src/'],
  ['#objects/', 'durable-objects/'],
  ['#queues/', 'queues/'],
  ['#parser/', 'parser/'],
  ['#ocr/', 'ocr/'],
  ['#server/', 'server/'],
];

const IMPORT = /(?:\bfrom|\bimport|import\()\s*'([^']+)'/g;

/** Reads all TypeScript files of the service in the checkout at `root`, sorted by path. */
export function readSourceFiles(root: string): SourceFile[] {
  const texts = new Map(
    listTypeScript(root, SERVICE_FOLDERS).map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
  return [...texts].map(([path, text]) => ({
    path,
    text,
    lines: countLines(text),
    imports: [...new Set(importedPaths(path, text))].filter((target) => target !== path && texts.has(target)),
  }));
}

/** Lists the TypeScript files below the given folders, as sorted paths relative to `root`. */
export function listTypeScript(root: string, folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .filter((path) => !path.includes('node_modules'))
    .toSorted();
}

/** Counts the lines of a text. A newline at the end of the text does not start another line. */
export function countLines(text: string): number {
  if (text === '') return 0;
  const newlines = text.split('\n').length - 1;
  return text.endsWith('\n') ? newlines : newlines + 1;
}

/** Returns the paths of the project's own files that a text imports. The files may not exist. */
export function importedPaths(path: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, target]) => {
    if (target!.startsWith('.')) return [normalize(join(dirname(path), target!))];
    const alias = ALIASES.find(([prefix]) => target!.startsWith(prefix));
    return alias ? [alias[1] + target!.slice(alias[0].length)] : [];
  });
}

/** Maps each file to the paths of its importers. Files without importers map to an empty list. */
export function findImporters(files: readonly SourceFile[]): Map<string, string[]> {
  const importers = new Map<string, string[]>(files.map(({ path }) => [path, []]));
  for (const { path, imports } of files) for (const target of imports) importers.get(target)?.push(path);
  return importers;
}
