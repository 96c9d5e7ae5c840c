import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildBindings } from './build-bindings.ts';
import { bundleWorker, WORKERS, type WorkerName } from './build-workers.ts';

/**
 * Builds what the server needs: static files, the bundles of all Workers, and what they bind. `npm install` runs it; a
 * later run builds only what has changed.
 */
export async function build(): Promise<void> {
  // A folder made by scripts/assemble.ts contains what was built, and few of the sources.
  if (!existsSync(WORKERS.service.config)) return;
  buildAssets();
  await buildBindings();
  for (const name of Object.keys(WORKERS) as WorkerName[]) bundleWorker(name);
}

/** Puts together the static files that the Workers serve. */
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
  putOcrModels(join(dirname(require.resolve('@tesseract.js-data/eng/package.json')), '..'));
}

/** Says of which sources the built console is. */
const STAMP = 'public/console/sources.txt';

function buildConsole(): void {
  const sources = globSync('console/{index.html,vite.config.ts,src/**/*.*}').toSorted();
  const hash = createHash('sha256');
  for (const file of [...sources, 'package-lock.json']) hash.update(file).update(readFileSync(file));
  const stamp = hash.digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return;
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
  execFileSync(process.execPath, [vite, 'build', 'console', '--logLevel', 'warn'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    // A test's environment would make a build for tests.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  put(STAMP, stamp);
}

/** Every installed language model goes beside the OCR Worker, with a list of them. */
function putOcrModels(packages: string): void {
  mkdirSync('ocr/public', { recursive: true });
  const models = readdirSync(packages).filter((language) => {
    const file = `${language}.traineddata.gz`;
    const model = join(packages, language, '4.0.0_best_int', file);
    if (!existsSync(model)) return false;
    if (!existsSync(join('ocr/public', file))) cpSync(model, join('ocr/public', file));
    return true;
  });
  put('ocr/public/models.json', `${JSON.stringify(models)}\n`);
}

/** Only what differs is written: a running service watches these files, and starts anew when one changes. */
function put(file: string, content: string | Buffer): void {
  const wanted = Buffer.from(content);
  if (existsSync(file) && readFileSync(file).equals(wanted)) return;
  writeFileSync(file, wanted);
}

if (import.meta.main) await build();
