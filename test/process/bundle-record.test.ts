import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findBundle, hasOtherConfig, recordBundle } from '#scripts/deploy/bundle-record.ts';

const FILE = 'dist/deploy/sluice/parser.json';
const BUNDLE = ['/worker.js 1f2e'];
const INPUTS = [
  '../../../parser/worker.ts',
  '../../../src/lib/text.ts',
  '../../../node_modules/zod/index.js',
  '.wrangler/tmp/middleware.ts',
  'node-built-in-modules:fs',
];
/** Time at which the bundling starts. It is later than all changes of the files. */
const START = Date.now() + 60_000;

const checkout = process.cwd();
let folder: string;

const config = (more: object = {}) => ({
  name: 'sluice-parser',
  main: join(folder, 'parser/worker.ts'),
  ...more,
});

/** Writes a file. */
function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function record(inputs = INPUTS): void {
  write('inputs.json', JSON.stringify({ inputs: Object.fromEntries(inputs.map((name) => [name, {}])) }));
  recordBundle({ config: config(), file: FILE, bundle: BUNDLE, hash: 'h' }, 'inputs.json', START);
}

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-record-')));
  process.chdir(folder);
  write('package-lock.json', '{}');
  write('parser/worker.ts', 'export default {};');
  write('src/lib/text.ts', 'export const text = 1;');
  write(FILE, '{}');
});
afterEach(() => {
  process.chdir(checkout);
  rmSync(folder, { recursive: true });
});

it('knows the bundle of unchanged sources', () => {
  expect(findBundle(config(), FILE)).toBeUndefined();
  record();
  expect(findBundle(config(), FILE)).toEqual(BUNDLE);
  write('docs/page.md', 'A file in a folder without sources.');
  expect(findBundle(config(), FILE)).toEqual(BUNDLE);
});

it.each<[string, () => void]>([
  ['a source', () => write('src/lib/text.ts', 'export const text = 2;')],
  ['a new file beside a source', () => write('src/lib/text.js', '')],
  ['a removed file', () => rmSync('src/lib/text.ts')],
  ['the version of a package', () => write('package-lock.json', '{"a":1}')],
  ['the installed packages', () => write('node_modules/.package-lock.json', '{"a":1}')],
  ['the names of imports', () => write('package.json', '{"imports":{}}')],
  ['the options of the compiler', () => write('tsconfig.json', '{}')],
  ['a damaged record', () => write(FILE.replace('.json', '.bundle.json'), '{"config"')],
])('does not know the bundle after a change of %s', (_, change) => {
  record();
  change();
  expect(findBundle(config(), FILE)).toBeUndefined();
});

it('does not know the bundle of another configuration', () => {
  record();
  const other = config({ vars: { LOG_LEVEL: 'warn' } });
  expect(findBundle(other, FILE)).toBeUndefined();
  expect(hasOtherConfig(other, FILE, 'h')).toBe(true);
  expect(hasOtherConfig(config(), FILE, 'h')).toBe(false);
  // The record is about another upload.
  expect(hasOtherConfig(other, FILE, 'another hash')).toBe(false);
});

it('records nothing about sources that were changed during the bundling', () => {
  const later = START / 1000 + 1;
  utimesSync('src/lib/text.ts', later, later);
  record();
  expect(findBundle(config(), FILE)).toBeUndefined();
});

it('records nothing about sources outside of the checkout', () => {
  record([...INPUTS, '../../../../elsewhere/module.ts']);
  expect(findBundle(config(), FILE)).toBeUndefined();
});
