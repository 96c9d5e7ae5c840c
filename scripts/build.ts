import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { buildBindings } from './build-bindings.ts';
import { bundleWorker, WORKERS, type WorkerName } from './build-workers.ts';
import { takeLock } from './state-lock.ts';

/** Milliseconds between two attempts to take the lock of a build. */
const LOCK_POLL_MS = 200;

/**
 * Builds everything that the server needs: static files, the bundles of all Workers, and their bindings. `npm
 * install` runs it. A later run builds only what has changed.
 */
export async function build(): Promise<void> {
  // A folder made by scripts/assemble.ts already contains the built files and only some of the sources, so
  // nothing is built.
  if (!existsSync(WORKERS.service.config)) return;
  const release = await waitForLock('dist');
  try {
    buildAssets();
    await buildBindings();
    for (const name of Object.keys(WORKERS) as WorkerName[]) bundleWorker(name);
  } finally {
    release();
  }
}

/** Waits until no other process is building, because two builds would write the same files. */
async function waitForLock(folder: string): Promise<() => void> {
  mkdirSync(folder, { recursive: true });
  for (;;) {
    const release = await takeLock(folder);
    if (release) return release;
    await setTimeout(LOCK_POLL_MS);
  }
}

export function buildAssets(): void {
  const require = createRequire(import.meta.url);
  const swagger = dirname(require.resolve('swagger-ui-dist/package.json'));
  mkdirSync('public/docs', { recursive: true });
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    put(join('public/docs', file), readFileSync(join(swagger, file)));
  }
  put('public/docs/start.js', readFileSync('src/api/docs/start.js'));
  put('public/robots.txt', 'User-agent: *\nDisallow: /\n');
  buildConsole();
  buildGuide();
  putOcrModels(join(dirname(require.resolve('@tesseract.js-data/eng/package.json')), '..'));
}

function buildConsole(): void {
  const sources = globSync('{console/{index.html,*.ts,src/**/*.*},scripts/messages/*.ts}');
  buildSite('public/console', sources, 'vite', ['build', 'console', '--logLevel', 'warn']);
}

/** Builds docs/ into the pages at /docs/guide, see docs/.vitepress/config.ts. */
function buildGuide(): void {
  const sources = globSync('docs/{.vitepress/**/*.{ts,css},**/*.{md,jpg,svg}}');
  buildSite('public/docs/guide', sources, 'vitepress', ['build', 'docs', '--logLevel', 'warn']);
}

/** Runs a site generator, unless the site in `folder` was built from the same sources and packages. */
function buildSite(folder: string, sources: string[], generator: string, options: string[]): void {
  const hash = createHash('sha256');
  for (const file of [...sources.toSorted(), 'package-lock.json'])
    hash.update(file).update(readFileSync(file));
  const stamp = hash.digest('hex');
  const stampFile = join(folder, 'sources.txt');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const program = join('node_modules', generator, 'bin', `${generator}.js`);
  const run = spawnSync(process.execPath, [program, ...options], {
    encoding: 'utf8',
    // A test run sets NODE_ENV to `test`, which would produce a test build.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (run.status !== 0)
    throw new Error(`${generator} could not build ${folder}.\n${run.stdout}${run.stderr}`);
  put(stampFile, stamp);
}

/**
 * Copies every installed OCR model into the assets of the OCR Worker, with a list of their checksums. Models
 * come from packages and from the operator's folder `ocr/models`.
 */
function putOcrModels(packages: string): void {
  mkdirSync('ocr/public', { recursive: true });
  const files = [
    ...globSync(join(packages, '*', '4.0.0_best_int', '*.traineddata.gz')),
    ...globSync('ocr/models/*.traineddata.gz'),
  ];
  const checksums: Record<string, string> = {};
  for (const file of files.toSorted()) {
    const name = basename(file);
    // This package holds a model that finds the script of a page and reads no text.
    if (name === 'osd.traineddata.gz') continue;
    const model = readFileSync(file);
    put(join('ocr/public', name), model);
    checksums[name.replace('.traineddata.gz', '')] = createHash('sha256').update(model).digest('hex');
  }
  put('ocr/public/models.json', `${JSON.stringify(checksums)}\n`);
}

/**
 * Writes a file only if its content differs, because a running service restarts when one of these files
 * changes.
 */
function put(file: string, content: string | Buffer): void {
  const wanted = Buffer.from(content);
  if (existsSync(file) && readFileSync(file).equals(wanted)) return;
  writeFileSync(file, wanted);
}

if (import.meta.main) await build();
