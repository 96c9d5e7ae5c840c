import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { measureStructure } from './measure.ts';
import { type Column, reportStructure } from './report.ts';

/*
 * Prints the structure of this checkout as Markdown. If the path of another checkout is given, the column
 * "before" shows that checkout and the column "after" shows this one. Exits with 1 if a walk (the path of a
 * value through the code) names a function that does not exist.
 */

const HERE = resolve(import.meta.dirname, '../..');

async function measureColumn(root: string, title: string): Promise<Column> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { title: `${title} (${version})`, structure: await measureStructure(root) };
}

function warnOfMissingFunctions({ title, structure }: Column): void {
  for (const walk of structure.walks) {
    if (!('missing' in walk)) continue;
    console.error(
      `${title}: no route of the walk "${walk.value}" fits this checkout. The nearest one (${walk.tree}) lacks:\n` +
        `${walk.missing.map((place) => `  ${place}\n`).join('')}` +
        'Add a route for this state of the tree to scripts/structure/walks.ts.',
    );
    process.exitCode = 1;
  }
}

const [other, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (other !== undefined && !existsSync(join(other, 'scripts/rooms.ts')))) {
  console.error('Usage: npm run structure -- [path of another checkout of this project]');
  process.exit(1);
}
const columns =
  other === undefined
    ? [await measureColumn(HERE, 'now')]
    : [await measureColumn(resolve(other), 'before'), await measureColumn(HERE, 'after')];
console.log(reportStructure(columns));
for (const column of columns) warnOfMissingFunctions(column);
