import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { buildAssets } from '../../scripts/build.ts';

const FOLDER = 'public/console';
const KIB = 1024;

beforeAll(() => buildAssets());

const measureGzipBytes = (file: string) => gzipSync(readFileSync(join(FOLDER, file)), { level: 9 }).length;

/**
 * Returns the files that a browser loads before the console shows anything: the page and what it references.
 */
function firstLoad(): string[] {
  const page = readFileSync(join(FOLDER, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)].map(([, file]) => file!);
  return ['index.html', ...named];
}

/** Returns the scripts that load this script on demand. */
function listLoaders(file: string, scripts: string[]): string[] {
  const imports = ['"', "'", '`'].map((quote) => `import(${quote}./${file.replace('assets/', '')}${quote})`);
  return scripts.filter((script) => {
    const code = readFileSync(join(FOLDER, script), 'utf8');
    return imports.some((each) => code.includes(each));
  });
}

/** Returns a script and all scripts that it imports, directly or through others, when it is loaded. */
function collectImports(file: string, found: string[] = []): string[] {
  if (found.includes(file)) return found;
  found.push(file);
  const code = readFileSync(join(FOLDER, file), 'utf8');
  const names = [...code.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)].map(([, name]) => name!);
  for (const name of names) collectImports(`assets/${name}`, found);
  return found;
}

it('loads its first page with at most 130 KiB', () => {
  const files = firstLoad();
  expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(0);
  const weight = files.reduce((sum, file) => sum + measureGzipBytes(file), 0);
  expect(weight / KIB, `first load of ${files.join(', ')}`).toBeLessThanOrEqual(130);
});

it('loads each page with at most 120 KiB besides the first load', () => {
  const scripts = readdirSync(join(FOLDER, 'assets'))
    .filter((file) => file.endsWith('.js'))
    .map((file) => `assets/${file}`);
  const first = firstLoad();
  const later = scripts.filter((file) => !first.includes(file));
  expect(later.length).toBeGreaterThan(0);
  for (const file of later) {
    // A part of a page, such as a panel, is loaded after the page, so what its pages have loaded does not count.
    const loaders = listLoaders(file, scripts).map((loader) => collectImports(loader));
    const isLoaded = (each: string) =>
      first.includes(each) || (loaders.length > 0 && loaders.every((loaded) => loaded.includes(each)));
    const files = collectImports(file).filter((each) => !isLoaded(each));
    const weight = files.reduce((sum, each) => sum + measureGzipBytes(each), 0);
    expect(weight / KIB, `${file} with ${files.join(', ')}`).toBeLessThanOrEqual(120);
  }
});

it('contains no service code and no external addresses', () => {
  for (const file of readdirSync(join(FOLDER, 'assets'))) {
    const text = readFileSync(join(FOLDER, 'assets', file), 'utf8');
    expect(text, file).not.toMatch(/drizzle|BOOTSTRAP_API_KEY=|chanfana|workerd/);
    // URLs that identify a language or an XML namespace, or explain an error, are never requested.
    const addresses = [...text.matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => new URL(address).hostname);
    const known =
      /^(?:www\.w3\.org|react\.dev|base-ui\.com|.*\.?example\.(?:org|com)|.*github\.com|json-schema\.org|localhost|x|n)$/;
    expect(
      addresses.filter((host) => !known.test(host)),
      file,
    ).toEqual([]);
  }
});
