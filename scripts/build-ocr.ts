import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { wrangler } from './wrangler.ts';

const OUT = 'dist/ocr';

/** The OCR Worker as the tests' runtime takes it beside the service; bundled anew only when it has changed. */
export function ocrWorker() {
  const built = join(OUT, 'worker.js');
  const sources = readdirSync('ocr').filter((name) => /\.(ts|toml)$/.test(name));
  const newest = Math.max(...sources.map((name) => statSync(join('ocr', name)).mtimeMs));
  if (!existsSync(built) || statSync(built).mtimeMs < newest) {
    wrangler('deploy', '--dry-run', '-c', 'ocr/wrangler.toml', '--outdir', resolve(OUT), '--env', '');
  }
  const wasm = readdirSync(OUT).filter((name) => name.endsWith('.wasm'));
  return {
    name: 'sluice-ocr',
    compatibilityDate: '2026-10-01',
    modulesRoot: resolve(OUT),
    modules: [
      { type: 'ESModule' as const, path: resolve(built) },
      ...wasm.map((name) => ({ type: 'CompiledWasm' as const, path: resolve(OUT, name) })),
    ],
    serviceBindings: { ASSETS: { disk: { path: resolve('ocr/public'), writable: false } } },
  };
}
