import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { hashTexts, listFiles, serializeConfig } from './bundle.ts';
import type { WorkerConfig } from './configs.ts';

// Bundling a Worker takes seconds. A record says what the last bundle of a Worker was made of, so that the next
// deployment bundles only Workers whose sources have changed. Records may be deleted at any time.

const recordSchema = z.strictObject({
  /** Configuration of the bundle, see `serializeConfig`. */
  config: z.string(),
  /** Folders of the checkout that contain the sources. */
  folders: z.array(z.string()),
  /** Hash of the files in these folders and of the versions of all packages. */
  sources: z.string(),
  /** Files of the bundle, see `listBundle`. */
  bundle: z.array(z.string()),
  /** Hash of the upload, see `hashWorker`. */
  hash: z.string(),
});
type BundleRecord = z.infer<typeof recordSchema>;

const metafileSchema = z.looseObject({ inputs: z.record(z.string(), z.unknown()) });

/** Path of the record that belongs to a configuration for wrangler, such as `dist/deploy/sluice/parser.json`. */
const recordPath = (file: string) => file.replace(/\.json$/, '.bundle.json');

function readRecord(file: string): BundleRecord | undefined {
  const path = recordPath(file);
  if (!existsSync(path)) return undefined;
  try {
    return recordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // An interrupted run or another release wrote the record.
    return undefined;
  }
}

/** Returns the files of the bundle that wrangler would make now, or `undefined` if this is not known. */
export function findBundle(config: WorkerConfig, file: string): string[] | undefined {
  const record = readRecord(file);
  if (record?.config !== serializeConfig(config)) return undefined;
  return record.sources === hashSources(record.folders) ? record.bundle : undefined;
}

/** Returns whether the configuration is known to differ from the one of the upload with this hash. */
export function hasOtherConfig(config: WorkerConfig, file: string, hash: string): boolean {
  const record = readRecord(file);
  return record?.hash === hash && record.config !== serializeConfig(config);
}

/**
 * Records a new bundle. Writes nothing if the sources cannot be compared later: sources outside of the checkout, or
 * sources that were changed while wrangler was reading them.
 *
 * @param metafile Path of esbuild's list of the bundle's inputs.
 * @param start Time at which wrangler was started, in milliseconds since 1970.
 */
export function recordBundle(
  { config, file, bundle, hash }: { config: WorkerConfig; file: string; bundle: string[]; hash: string },
  metafile: string,
  start: number,
): void {
  const folders = findSourceFolders(metafile, dirname(file));
  if (!folders || folders.some((folder) => hasChangedSince(folder, start))) return;
  const record: BundleRecord = {
    config: serializeConfig(config),
    folders,
    sources: hashSources(folders),
    bundle,
    hash,
  };
  writeFileSync(recordPath(file), JSON.stringify(record, undefined, 2));
}

/**
 * Returns the folders at the top of the checkout that contain the inputs, such as `src` and `parser`. They are compared
 * as a whole, because a new file can change how an import is resolved, and esbuild does not list modules such as
 * `.wasm`. Returns `undefined` if an input is outside of the checkout.
 */
function findSourceFolders(metafile: string, base: string): string[] | undefined {
  const { inputs } = metafileSchema.parse(JSON.parse(readFileSync(metafile, 'utf8')));
  const folders = new Set<string>();
  for (const name of Object.keys(inputs)) {
    const path = relative(process.cwd(), resolve(base, name));
    const parts = path.split(sep);
    // The lock file names the versions of packages. Names with a colon are virtual modules, and `.wrangler` is the
    // bundler's temporary folder.
    if (name.includes(':') || parts.includes('node_modules') || parts.includes('.wrangler')) continue;
    if (parts.length < 2 || parts[0] === '..') return undefined;
    folders.add(parts[0]!);
  }
  return [...folders].toSorted();
}

const hasChangedSince = (folder: string, start: number) =>
  globSync(join(folder, '**/*')).some(
    // A file that has just been removed is a change too.
    (path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? start) >= start,
  );

/** Files besides the sources that decide what a bundle contains. The second one lists the packages that are installed. */
const OTHER_INPUTS = [
  'package-lock.json',
  'node_modules/.package-lock.json',
  'package.json',
  'tsconfig.json',
];

function hashSources(folders: readonly string[]): string {
  const others = OTHER_INPUTS.flatMap((file) => (existsSync(file) ? [file, readFileSync(file)] : []));
  return hashTexts([...folders.flatMap((folder) => [folder, ...listFiles(folder)]), ...others]);
}
