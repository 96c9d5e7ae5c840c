import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOMS, type Room } from './rooms.ts';

// Holds every import of the service to the table in rooms.ts, and the table to its promise: no circle.

const FOLDERS = {
  '#src/': 'src/',
  '#objects/': 'durable-objects/',
  '#queues/': 'queues/',
  '#parser/': 'parser/',
  '#ocr/': 'ocr/',
  '#server/': 'server/',
};
const rooms: [string, Room][] = Object.entries(ROOMS);
const problems: string[] = [];

/** The room of the longest path that fits; a folder's path ends in a slash. */
function roomOf(file: string): string | undefined {
  let best: { name: string; path: string } | undefined;
  for (const [name, { paths }] of rooms) {
    for (const path of paths) {
      const fits = path.endsWith('/') ? file.startsWith(path) : file === path;
      if (fits && path.length > (best?.path.length ?? 0)) best = { name, path };
    }
  }
  return best?.name;
}

/** The project's own files that a file imports, types included. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport|import\()\s*'([^']+)'/g)].flatMap(([, target]) => {
    if (target!.startsWith('.')) return [normalize(join(dirname(file), target!))];
    const alias = Object.entries(FOLDERS).find(([prefix]) => target!.startsWith(prefix));
    return alias ? [alias[1] + target!.slice(alias[0].length)] : [];
  });
}

for (const file of globSync('{src,durable-objects,queues,parser,ocr,server}/**/*.ts').toSorted()) {
  const own = roomOf(file);
  if (!own) {
    problems.push(`${file} is in no room of scripts/rooms.ts`);
    continue;
  }
  const { mayUse }: Room = ROOMS[own]!;
  for (const target of importsOf(file)) {
    if (target.includes('node_modules')) continue;
    const room = roomOf(target);
    if (room === own) continue;
    if (!room || !mayUse.includes(room)) problems.push(`${file} (${own}) may not import ${target} (${room})`);
  }
}

/** The way round, when rooms that may use one another form a circle. */
function circleFrom(name: string, way: string[]): string[] | undefined {
  if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
  const { mayUse }: Room = ROOMS[name]!;
  for (const next of mayUse) {
    // Errors and helpers are one ground floor.
    if (['core', 'lib'].includes(name) && ['core', 'lib'].includes(next)) continue;
    const circle = circleFrom(next, [...way, name]);
    if (circle) return circle;
  }
  return undefined;
}

for (const [name] of rooms) {
  const circle = circleFrom(name, []);
  if (circle) {
    problems.push(`a circle: ${circle.join(' -> ')}`);
    break;
  }
}

/** Every folder of the project and of src/ has its line in the README's tree, and no other has one. */
const tree = /## The tree\n\n([\s\S]*?)\n\n/.exec(readFileSync('README.md', 'utf8'))?.[1] ?? '';
const named = (indent: number) =>
  [...tree.matchAll(new RegExp(`^ {${indent}}([\\w-]+)/`, 'gm'))].map(([, name]) => name!);
const folders = (pattern: string) =>
  globSync(pattern, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
/** What tools make or bring. */
const MADE = new Set(['node_modules', 'dist', 'public']);
for (const [place, listed, real] of [
  ['', named(4), folders('*').filter((name) => !MADE.has(name))],
  ['src/', named(6), folders('src/*')],
] as const) {
  for (const name of real)
    if (!listed.includes(name)) problems.push(`README.md's tree lacks ${place}${name}/`);
  for (const name of listed) {
    if (!real.includes(name)) problems.push(`README.md's tree names ${place}${name}/, which is not there`);
  }
}

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
