import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EXCEPTIONS_FILE, type Exceptions, findExceptions } from '#scripts/structure/exceptions.ts';

// Runs the check as `npm run check` does, in a small tree of its own.

const SCRIPT = resolve('scripts/check-structure.ts');
const NO_EXCEPTIONS: Exceptions = {
  longFunctions: {},
  crowdedFolders: {},
  smallFiles: [],
  unimportedFiles: [],
};

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-structure-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Writes the list of exceptions. Unless a test lists them, files without an importer are allowed. */
function allow(exceptions: Partial<Exceptions>): void {
  const { unimportedFiles } = findExceptions(root);
  writeFile(EXCEPTIONS_FILE, JSON.stringify({ ...NO_EXCEPTIONS, unimportedFiles, ...exceptions }));
}

const readAllowed = () => JSON.parse(readFileSync(join(root, EXCEPTIONS_FILE), 'utf8')) as Exceptions;

const statements = (count: number) => '  run();\n'.repeat(count);

/** Returns a function with the given number of lines. */
const writeFunction = (name: string, lines: number) =>
  `export function ${name}() {\n${statements(lines - 2)}}\n`;

/** Returns a file with the given number of lines and no function. */
const constants = (lines: number) => 'export {};\n'.repeat(lines);

const imports = (...paths: string[]) => paths.map((path) => `import '${path}';\n`).join('');

/** Runs the check. Resolves to the messages that it prints, or to an empty text if it passes. */
async function check(...options: string[]): Promise<string> {
  try {
    await promisify(execFile)(process.execPath, [SCRIPT, ...options], { cwd: root });
    return '';
  } catch (error) {
    const { stderr } = error as { stderr: string };
    return stderr;
  }
}

it('accepts a tree that follows the rules', async () => {
  writeFile('src/short.ts', writeFunction('short', 80));
  writeFile('src/part.ts', constants(25));
  writeFile('src/shared.ts', constants(1));
  writeFile('src/a.ts', imports('./part.ts', '#src/shared.ts'));
  writeFile('queues/b.ts', imports('#src/shared.ts'));
  allow({});
  expect(await check()).toBe('');
});

it.each(['src', 'durable-objects', 'queues', 'parser', 'server', 'scripts'])(
  'reports a function of 81 lines in %s',
  async (folder) => {
    writeFile(`${folder}/long.ts`, writeFunction('long', 81));
    allow({});
    expect(await check()).toContain(`${folder}/long.ts#long has 81 lines; at most 80 are allowed.`);
  },
);

it.each([
  ['a method', `export class Reader {\n  read() {\n${statements(79)}  }\n}\n`, 'Reader.read'],
  ['an arrow function', `export const read = () => {\n${statements(79)}};\n`, 'read'],
  ['a callback', `routes.map(() => {\n${statements(79)}});\n`, 'map()'],
])('reports %s that is too long by its name', async (_, text, name) => {
  writeFile('src/long.ts', text);
  allow({});
  expect(await check()).toContain(`src/long.ts#${name} has 81 lines`);
});

it('measures a nested function separately', async () => {
  writeFile(
    'src/long.ts',
    `export function outer() {\n${writeFunction('inner', 81).slice('export '.length)}}\n`,
  );
  allow({ longFunctions: { 'src/long.ts#outer': 83 } });
  expect(await check()).toContain('src/long.ts#outer.inner has 81 lines');
});

it('reports a folder of src with 21 files, without counting subfolders', async () => {
  for (let at = 1; at <= 20; at += 1) writeFile(`src/full/${at}.ts`, constants(30));
  writeFile('src/full/sub/one.ts', constants(30));
  for (let at = 1; at <= 21; at += 1) writeFile(`queues/${at}.ts`, constants(30));
  allow({});
  expect(await check()).toBe('');
  writeFile('src/full/21.ts', constants(30));
  expect(await check()).toContain('src/full has 21 files; at most 20 are allowed.');
});

it('reports a file of 24 lines with a single importer, and counts no importers in tests and scripts', async () => {
  writeFile('src/part.ts', constants(24));
  writeFile('src/a.ts', imports('./part.ts'));
  writeFile('test/part.test.ts', imports('../src/part.ts'));
  writeFile('scripts/run.ts', imports('../src/part.ts'));
  allow({});
  expect(await check()).toContain('src/part.ts has fewer than 25 lines and a single importer.');
  writeFile('parser/b.ts', imports('#src/part.ts'));
  expect(await check()).toBe('');
});

it('accepts listed exceptions and reports what has grown since', async () => {
  writeFile('src/long.ts', writeFunction('long', 90));
  writeFile('src/part.ts', constants(5));
  writeFile('src/a.ts', imports('./part.ts'));
  for (let at = 1; at <= 22; at += 1) writeFile(`src/full/${at}.ts`, constants(30));
  const allowed = { longFunctions: { 'src/long.ts#long': 90 }, crowdedFolders: { 'src/full': 22 } };
  allow({ ...allowed, smallFiles: ['src/part.ts'] });
  expect(await check()).toBe('');
  writeFile('src/long.ts', writeFunction('long', 91));
  writeFile('src/full/23.ts', constants(30));
  const told = await check();
  expect(told).toContain('src/long.ts#long has 91 lines; its exception');
  expect(told).toContain('src/full has 23 files; its exception');
});

it('reports exceptions that are no longer needed and the values to write', async () => {
  writeFile('src/long.ts', writeFunction('long', 85));
  writeFile('src/a.ts', constants(30));
  allow({
    longFunctions: { 'src/long.ts#long': 90, 'src/gone.ts#gone': 100 },
    crowdedFolders: { src: 21 },
    smallFiles: ['src/a.ts'],
  });
  const told = await check();
  expect(told).toContain('Write "src/long.ts#long": 85 in "longFunctions"');
  expect(told).toMatch(/src\/gone\.ts#gone needs no exception: .* Remove it from "longFunctions"/);
  expect(told).toMatch(/src needs no exception: .* Remove it from "crowdedFolders"/);
  expect(told).toMatch(/src\/a\.ts needs no exception: .* Remove it from "smallFiles"/);
});

it('only removes and lowers exceptions with --update', async () => {
  writeFile(
    'src/long.ts',
    writeFunction('long', 85) + writeFunction('longer', 120) + writeFunction('added', 81),
  );
  writeFile('src/part.ts', constants(5));
  writeFile('src/a.ts', imports('./part.ts'));
  allow({
    longFunctions: { 'src/long.ts#long': 90, 'src/long.ts#longer': 110, 'src/gone.ts#gone': 100 },
    crowdedFolders: { 'src/full': 22 },
    smallFiles: ['src/gone.ts'],
    unimportedFiles: ['src/a.ts', 'src/gone.ts', 'src/long.ts'],
  });
  expect(await check('--update')).toBe('');
  expect(readAllowed()).toEqual({
    longFunctions: { 'src/long.ts#long': 85, 'src/long.ts#longer': 110 },
    crowdedFolders: {},
    smallFiles: [],
    unimportedFiles: ['src/a.ts', 'src/long.ts'],
  });
  const told = await check();
  expect(told).toContain('src/long.ts#added has 81 lines');
  expect(told).toContain('src/part.ts has fewer than 25 lines');
});

it('rewrites the exceptions with --init', async () => {
  writeFile('src/long.ts', writeFunction('long', 85));
  allow({ smallFiles: ['src/gone.ts'] });
  expect(await check('--init')).toBe('');
  expect(readAllowed()).toEqual({
    ...NO_EXCEPTIONS,
    longFunctions: { 'src/long.ts#long': 85 },
    unimportedFiles: ['src/long.ts'],
  });
  expect(await check()).toBe('');
});

it('reports a driver that its registry does not list, and an unneeded exception', async () => {
  writeFile('src/sinks/registry.ts', constants(1));
  writeFile('src/sinks/astra.ts', constants(30));
  writeFile('src/index.ts', imports('./sinks/registry.ts'));
  allow({ smallFiles: ['src/sinks/registry.ts'], unimportedFiles: ['src/index.ts'] });
  expect(await check()).toContain('src/sinks/astra.ts is not imported by any file of the service.');
  writeFile('src/sinks/registry.ts', imports('./astra.ts'));
  expect(await check()).toBe('');
  allow({ smallFiles: ['src/sinks/registry.ts'], unimportedFiles: ['src/index.ts', 'src/sinks/astra.ts'] });
  expect(await check()).toContain('src/sinks/astra.ts needs no exception');
});
