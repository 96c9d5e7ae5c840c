import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { countByImporters, countBySize, findMutualFolders } from '#scripts/structure/file-measures.ts';
import { measureStructure } from '#scripts/structure/measure.ts';
import { reportStructure } from '#scripts/structure/report.ts';
import {
  createRoomTable,
  grantedPermissions,
  loadRoomTable,
  roomsOfFiles,
  usedPermissions,
} from '#scripts/structure/room-table.ts';
import { readSourceFiles } from '#scripts/structure/source-files.ts';
import { measureRoute, measureWalk } from '#scripts/structure/walk-measures.ts';

// Runs in Node, because the script is a Node program.

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-structure-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function writeFiles(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const getCount = (counts: { label: string; count: number }[], label: string) =>
  counts.find((each) => each.label === label)?.count;

const ROOM_FILES = {
  'src/api/a.ts': "import '../lib/text.ts';\nimport '#src/sinks/sink.ts';\n",
  'src/sinks/sink.ts': 'export {};\n',
  'src/sinks/qdrant/index.ts': "import '../sink.ts';\n",
  'src/lib/text.ts': 'export {};\n',
};

it('reads rooms defined as folders from the root or src', async () => {
  writeFiles({
    ...ROOM_FILES,
    'scripts/rooms.ts': `export const ROOMS = {
      'src/api': { mayImport: ['src/lib', 'sinks', 'parser'] },
      sinks: { mayImport: ['src/lib'] },
      'src/sinks/qdrant': { mayImport: ['sinks'] },
      'src/lib': { mayImport: [] },
      parser: { mayImport: [] },
    };`,
  });
  const table = await loadRoomTable(root);
  expect(Object.keys(ROOM_FILES).map((path) => table.roomContaining(path))).toEqual([
    'src/api',
    'sinks',
    'src/sinks/qdrant',
    'src/lib',
  ]);
  expect(table.roomContaining('parser/worker.ts')).toBe('parser');
  expect(table.roomContaining('src/index.ts')).toBeUndefined();
  expect(grantedPermissions(table)).toHaveLength(5);
  expect(usedPermissions(table, readSourceFiles(root))).toEqual([
    { from: 'src/api', to: 'src/lib' },
    { from: 'src/api', to: 'sinks' },
    { from: 'src/sinks/qdrant', to: 'sinks' },
  ]);
  expect(roomsOfFiles(table)).toEqual([]);
});

it('reads rooms defined as lists of paths', async () => {
  writeFiles({
    ...ROOM_FILES,
    'scripts/rooms.ts': `export const ROOMS = {
      ports: { paths: ['src/sinks/sink.ts'], mayUse: [] },
      sinks: { paths: ['src/sinks/'], mayUse: ['ports', 'lib'] },
      api: { paths: ['src/api/'], mayUse: ['ports'] },
      lib: { paths: ['src/lib/'], mayUse: [] },
    };`,
  });
  const table = await loadRoomTable(root);
  expect(table.roomContaining('src/sinks/sink.ts')).toBe('ports');
  expect(table.roomContaining('src/sinks/qdrant/index.ts')).toBe('sinks');
  expect(roomsOfFiles(table).map(({ name }) => name)).toEqual(['ports']);
  // An import that is not permitted uses no permission.
  expect(usedPermissions(table, readSourceFiles(root))).toEqual([
    { from: 'api', to: 'ports' },
    { from: 'sinks', to: 'ports' },
  ]);
});

it.each([
  ['#src/', 'src/'],
  ['#objects/', 'durable-objects/'],
  ['#queues/', 'queues/'],
  ['#parser/', 'parser/'],
  ['#ocr/', 'ocr/'],
  ['#server/', 'server/'],
])('resolves imports with %s to %s', (alias, folder) => {
  writeFiles({
    'src/a.ts': `import { b } from '${alias}b.ts';\nimport { gone } from '${alias}gone.ts';\nimport 'zod';\n`,
    [`${folder}b.ts`]: '',
  });
  const importing = readSourceFiles(root).find(({ path }) => path === 'src/a.ts');
  expect(importing?.imports).toEqual([`${folder}b.ts`]);
});

it('finds folders that import each other, including parent and child', () => {
  writeFiles({
    'src/a/one.ts': "import '../b/two.ts';\nimport './child/three.ts';\n",
    'src/b/two.ts': "import type { One } from '#src/a/four.ts';\n",
    'src/a/child/three.ts': "const { four } = await import('../four.ts');\n",
    'src/a/four.ts': "import '../c/five.ts';\n",
    'src/c/five.ts': '',
  });
  expect(findMutualFolders(readSourceFiles(root))).toEqual([
    ['src/a', 'src/a/child'],
    ['src/a', 'src/b'],
  ]);
});

it('counts source files by size and importers', () => {
  const lines = (count: number) => 'export {};\n'.repeat(count);
  writeFiles({
    'src/twenty.ts': lines(20),
    'src/eighty.ts': lines(80),
    'src/long.ts': lines(251),
    'queues/a.ts': "import '#src/twenty.ts';\nimport '#src/eighty.ts';\n",
    'durable-objects/b.ts': "import '#src/eighty.ts';\n",
    'bench/c.ts': "import '#src/twenty.ts';\n",
  });
  const files = readSourceFiles(root);
  expect(countBySize(files).map(({ count }) => count)).toEqual([1, 1, 0, 1]);
  expect(countByImporters(files)).toEqual([
    { label: '0 importers', count: 1 },
    { label: '1 importer', count: 1 },
    { label: '2-5 importers', count: 1 },
    { label: 'more than 5 importers', count: 0 },
  ]);
});

const LAYERS = createRoomTable([
  { name: 'api', paths: ['src/api/'], mayUse: ['rules', 'db'] },
  { name: 'rules', paths: ['src/rules/'], mayUse: ['db'] },
  { name: 'db', paths: ['src/db/'], mayUse: [] },
]);

it('counts stops, climbs and returns of a route', () => {
  const measures = measureRoute(LAYERS, [
    ['src/api/a.ts#handle', 'body'],
    ['src/rules/b.ts#create', 'input'],
    ['src/rules/c.ts#check', 'input'],
    ['src/db/d.ts#insert', 'values'],
    ['src/rules/b.ts#create', 'row'],
  ]);
  expect(measures).toEqual({ functions: 5, stops: 4, rooms: 3, names: 4, climbs: 1, returns: 1 });
});

it('uses the last route that exists in the checkout, and names missing functions otherwise', () => {
  writeFiles({
    'src/api/a.ts': 'export const operations = [{ handle() {} }];\nclass Reader { read() {} }\n',
  });
  const walk = (...routes: { tree: string; functions: [string, string][] }[]) =>
    measureWalk(root, LAYERS, { value: 'id', from: '', to: '', routes });
  const old = { tree: 'old', functions: [['src/api/a.ts#operations.handle', 'id']] as [string, string][] };
  const next = { tree: 'next', functions: [['src/api/a.ts#Reader.read', 'id']] as [string, string][] };
  const broken: [string, string][] = [
    ['src/api/a.ts#Reader.write', 'id'],
    ['src/api/gone.ts#read', 'id'],
  ];
  expect(walk(old, next)).toMatchObject({ tree: 'next' });
  expect(walk(old, { tree: 'broken', functions: broken })).toMatchObject({ tree: 'old' });
  expect(walk({ tree: 'broken', functions: broken })).toEqual({
    value: 'id',
    tree: 'broken',
    missing: ['src/api/a.ts#Reader.write', 'src/api/gone.ts#read'],
  });
});

it('compares this tree with itself and finds a route for every walk', async () => {
  const structure = await measureStructure(resolve('.'));
  expect(structure.walks.filter((walk) => 'missing' in walk)).toEqual([]);
  expect(getCount(structure.figures, 'files of `src`')).toBeGreaterThan(0);
  const report = reportStructure([
    { title: 'before', structure: { ...structure, longFunctions: [{ key: 'a#b', name: 'b', lines: 99 }] } },
    { title: 'after', structure: { ...structure, longFunctions: [] } },
  ]);
  expect(report).toContain('| Figure | before | after |');
  expect(report).toContain('| `a#b` | 99 lines | - |');
});
