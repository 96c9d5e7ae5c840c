import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { wrangler } from './wrangler.ts';

/**
 * Source of a Worker: its wrangler configuration, and optionally a script that replaces the configured entry.
 */
export interface WorkerSource {
  config: string;
  entry?: string | undefined;
}

/** Workers of a single-machine server, by the folder of `dist` that contains their bundle. */
export const WORKERS = {
  service: { config: 'wrangler.toml' },
  parser: { config: 'parser/wrangler.toml' },
  ocr: { config: 'ocr/wrangler.toml' },
  'parser-pool': { config: 'server/parser-pool/wrangler.toml' },
  'queue-broker': { config: 'server/queue-broker/wrangler.toml' },
} as const satisfies Record<string, WorkerSource>;

export type WorkerName = keyof typeof WORKERS;

/** File that contains the name of a bundle's script, relative to the bundle's folder. */
const SCRIPT_FILE = 'script.txt';
const INPUTS_FILE = 'inputs.json';

/**
 * Bundles a Worker with wrangler unless the bundle is newer than all source files. Returns the bundle's
 * folder. A bundle with another entry than the configured one gets a separate folder.
 */
export function bundleWorker(name: WorkerName, source: WorkerSource = WORKERS[name]): string {
  const { config, entry } = source;
  const isDefault = config === WORKERS[name].config && entry === undefined;
  const suffix = createHash('sha256')
    .update(`${config} ${entry ?? ''}`)
    .digest('hex')
    .slice(0, 8);
  const folder = join('dist', isDefault ? name : `${name}-${suffix}`);
  // A container image contains the bundles without their sources, so nothing can be rebuilt.
  if (!existsSync(config) && existsSync(join(folder, SCRIPT_FILE))) return folder;
  if (isFresh(folder, config)) return folder;
  const target = ['--outdir', resolve(folder), '--metafile', resolve(folder, INPUTS_FILE)];
  wrangler('deploy', ...(entry ? [resolve(entry)] : []), '--dry-run', '-c', config, ...target, '--env', '');
  const scripts = readdirSync(folder).filter((file) => file.endsWith('.js'));
  const newest = scripts.toSorted((a, b) => modifiedAt(join(folder, b)) - modifiedAt(join(folder, a)))[0]!;
  writeFileSync(join(folder, SCRIPT_FILE), `${newest}\n`);
  return folder;
}

type WorkerModules = ReturnType<typeof readModules>;

const loaded = new Map<string, WorkerModules>();

/**
 * Returns the modules of a Worker's bundle, which is built first if it is out of date. Each bundle is read
 * once per process. A server therefore keeps the code that it started with, and its parser processes share
 * one copy.
 */
export function loadModules(name: WorkerName, source: WorkerSource = WORKERS[name]): WorkerModules {
  const key = JSON.stringify([name, source]);
  const modules = loaded.get(key) ?? readModules(bundleWorker(name, source));
  loaded.set(key, modules);
  return modules;
}

/**
 * Reads modules as bytes. As strings, scripts would take twice the memory, because V8 stores them as UTF-16.
 */
function readModules(folder: string) {
  const script = readFileSync(join(folder, SCRIPT_FILE), 'utf8').trim();
  const files = readdirSync(folder);
  const read = (type: 'ESModule' | 'CompiledWasm' | 'Data', name: string) => {
    const path = resolve(folder, name);
    return { type, path, contents: new Uint8Array(readFileSync(path)) };
  };
  const readAll = (type: 'CompiledWasm' | 'Data', extension: string) =>
    files.filter((name) => name.endsWith(extension)).map((name) => read(type, name));
  return {
    modulesRoot: resolve(folder),
    modules: [read('ESModule', script), ...readAll('CompiledWasm', '.wasm'), ...readAll('Data', '.ttf')],
  };
}

export const COMPATIBILITY = {
  compatibilityDate: '2026-10-01',
  compatibilityFlags: ['nodejs_compat', 'enable_request_signal'],
};

/** Returns the OCR Worker in the form that Miniflare expects. */
export function ocrWorker() {
  return {
    ...COMPATIBILITY,
    ...loadModules('ocr'),
    name: 'sluice-ocr',
    serviceBindings: { ASSETS: { disk: { path: resolve('ocr/public'), writable: false } } },
  };
}

/** Returns the parser Worker with a local bucket, for the runtime of the tests. */
export function parserWorker() {
  return {
    ...COMPATIBILITY,
    ...loadModules('parser'),
    name: 'sluice-parser',
    r2Buckets: { FILES: 'sluice-files' },
    serviceBindings: { OCR_ENGINE: 'sluice-ocr' },
  };
}

/** Returns true if a bundle is newer than every input file that wrangler listed. */
function isFresh(folder: string, config: string): boolean {
  const list = join(folder, INPUTS_FILE);
  const stamp = join(folder, SCRIPT_FILE);
  if (!existsSync(stamp) || !existsSync(list)) return false;
  const { inputs } = JSON.parse(readFileSync(list, 'utf8')) as { inputs: Record<string, unknown> };
  const builtAt = modifiedAt(stamp);
  // Names with a colon are virtual modules of the bundler, and `.wrangler/` is its temporary folder. Neither
  // is a source file.
  const sources = Object.keys(inputs).filter((name) => !name.includes(':') && !name.includes('.wrangler/'));
  const files = [...sources.map((name) => join(dirname(config), name)), config, 'package-lock.json'];
  return files.every((name) => existsSync(name) && modifiedAt(name) <= builtAt);
}

const modifiedAt = (file: string): number => statSync(file).mtimeMs;

if (import.meta.main) {
  for (const name of Object.keys(WORKERS) as WorkerName[]) console.log(basename(bundleWorker(name)));
}
