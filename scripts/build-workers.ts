import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { wrangler } from './wrangler.ts';

/** The OCR Worker as the tests' runtime takes it beside the service. */
export function ocrWorker() {
  return {
    ...built('ocr'),
    name: 'sluice-ocr',
    serviceBindings: { ASSETS: { disk: { path: resolve('ocr/public'), writable: false } } },
  };
}

/** The parser Worker, over the same bucket as the service. */
export function parserWorker() {
  return {
    ...built('parser'),
    name: 'sluice-parser',
    r2Buckets: { FILES: 'sluice-files' },
    serviceBindings: { OCR_ENGINE: 'sluice-ocr' },
  };
}

/** Bundled anew only when something that goes into it has changed. */
function built(folder: string) {
  const out = join('dist', folder);
  const script = join(out, 'worker.js');
  const list = join(out, 'inputs.json');
  if (!isFresh(folder, script, list)) {
    const target = ['--outdir', resolve(out), '--metafile', resolve(list)];
    const config = join(folder, 'wrangler.toml');
    wrangler('deploy', '--dry-run', '-c', config, ...target, '--env', '');
  }
  const parts = readdirSync(out);
  const ending = (extension: string) => parts.filter((name) => name.endsWith(extension));
  return {
    compatibilityDate: '2026-10-01',
    compatibilityFlags: ['nodejs_compat'],
    modulesRoot: resolve(out),
    modules: [
      { type: 'ESModule' as const, path: resolve(script) },
      ...ending('.wasm').map((name) => ({ type: 'CompiledWasm' as const, path: resolve(out, name) })),
      ...ending('.ttf').map((name) => ({ type: 'Data' as const, path: resolve(out, name) })),
    ],
  };
}

/** Whether a script is newer than each file that its bundler listed as read for it. */
function isFresh(folder: string, script: string, list: string): boolean {
  if (!existsSync(script) || !existsSync(list)) return false;
  const { inputs } = JSON.parse(readFileSync(list, 'utf8')) as { inputs: Record<string, unknown> };
  const time = statSync(script).mtimeMs;
  // Modules of the bundler's own making have a colon in their names, or stand in its temporary folder.
  const read = Object.keys(inputs).filter((name) => !name.includes(':') && !name.includes('.wrangler/'));
  const config = join(folder, 'wrangler.toml');
  const files = [...read.map((name) => join(folder, name)), config, 'package-lock.json'];
  return files.every((name) => existsSync(name) && statSync(name).mtimeMs <= time);
}
