import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { OTHER_FOLDERS, ROOMS } from './rooms.ts';

/**
 * Checks every import of the service, including type imports, against the table in rooms.ts. `--write`
 * replaces the tree in docs/reference/source-tree.md with the tree of that table.
 */

const ALIASES = {
  '#src/': 'src/',
  '#objects/': 'durable-objects/',
  '#queues/': 'queues/',
  '#parser/': 'parser/',
  '#ocr/': 'ocr/',
  '#server/': 'server/',
};
const problems: string[] = [];

/** Returns the room with the longest path that contains the file, or `undefined` if no room contains it. */
function findRoom(file: string): string | undefined {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    // The room `src` contains only the files directly in src, because every folder of src is a room.
    if (folder === 'src' && dirname(file) !== 'src') return undefined;
    if (folder in ROOMS) return folder;
  }
  return undefined;
}

function listImports(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport|import\()\s*'([^']+)'/g)].flatMap(([, target]) => {
    if (target!.startsWith('.')) return [normalize(join(dirname(file), target!))];
    const alias = Object.entries(ALIASES).find(([prefix]) => target!.startsWith(prefix));
    return alias ? [alias[1] + target!.slice(alias[0].length)] : [];
  });
}

/**
 * Reports imports that lack a permission. Returns the permissions that imports use, in the form `importer >
 * imported`.
 */
function checkImports(): Set<string> {
  const used = new Set<string>();
  for (const file of globSync('{src,durable-objects,queues,parser,ocr,server}/**/*.ts').toSorted()) {
    const own = findRoom(file);
    if (!own) {
      problems.push(`${file} is in no room of scripts/rooms.ts`);
      continue;
    }
    for (const target of listImports(file)) {
      if (target.includes('node_modules')) continue;
      const room = findRoom(target);
      if (room === own) continue;
      if (room && ROOMS[own]!.mayImport.includes(room)) used.add(`${own} > ${room}`);
      else problems.push(`${file} (${own}) may not import ${target} (${room})`);
    }
  }
  return used;
}

/** Reports permissions that no import uses, and permissions for rooms that do not exist. */
function checkPermissions(used: ReadonlySet<string>): void {
  for (const [name, { mayImport }] of Object.entries(ROOMS)) {
    for (const other of mayImport) {
      if (!(other in ROOMS)) problems.push(`scripts/rooms.ts: ${name} may import ${other}, which is no room`);
      else if (!used.has(`${name} > ${other}`))
        problems.push(`scripts/rooms.ts: remove the unused permission of ${name} to import ${other}`);
    }
  }
}

/**
 * Returns the rooms of a cycle of permissions that can be reached from `name`, or `undefined` if there is
 * none.
 */
function findCircle(name: string, path: string[], cleared: Set<string>): string[] | undefined {
  if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
  if (cleared.has(name)) return undefined;
  for (const next of ROOMS[name]?.mayImport ?? []) {
    const circle = findCircle(next, [...path, name], cleared);
    if (circle) return circle;
  }
  cleared.add(name);
  return undefined;
}

const MAX_COLUMNS = 116;

/** Formats one entry of the tree: the name, then a wrapped text whose lines start in `column`. */
function writeEntry(name: string, text: string, column: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (column + longer.length > MAX_COLUMNS) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return name.padEnd(column) + lines.join(`\n${' '.repeat(column)}`);
}

/** Returns the tree for the docs: all rooms, then the other top-level folders. */
function drawTree(): string {
  const rooms = Object.entries(ROOMS).map(([name, { holds }]) => [`${name}/`, holds] as const);
  const others = Object.entries(OTHER_FOLDERS).map(([name, holds]) => [`${name}/`, holds] as const);
  const entries = [...rooms, ...others];
  const column = Math.max(...entries.map(([name]) => name.length)) + 6;
  return entries.map(([name, holds]) => writeEntry(`    ${name}`, holds, column)).join('\n');
}

const TREE_PAGE = 'docs/reference/source-tree.md';

const GENERATED = new Set(['node_modules', 'dist', 'public']);

/** Reports top-level folders that are missing from both tables, and an outdated tree in the docs. */
function checkTree(): void {
  const folders = globSync('*', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) {
    if (GENERATED.has(name) || name === 'src' || name in OTHER_FOLDERS || name in ROOMS) continue;
    problems.push(`scripts/rooms.ts has no line for the folder ${name}`);
  }
  const page = readFileSync(TREE_PAGE, 'utf8');
  const heading = '## The tree\n\n';
  const updated = `${page.split(heading)[0]}${heading}${drawTree()}\n`;
  if (updated === page) return;
  if (process.argv.includes('--write')) writeFileSync(TREE_PAGE, updated);
  else problems.push(`The tree in ${TREE_PAGE} is out of date: run \`node scripts/check-rooms.ts --write\``);
}

checkPermissions(checkImports());
const cleared = new Set<string>();
const circle = Object.keys(ROOMS)
  .map((name) => findCircle(name, [], cleared))
  .find((found) => found !== undefined);
if (circle) problems.push(`scripts/rooms.ts: a circle: ${circle.join(' > ')}`);
checkTree();

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
