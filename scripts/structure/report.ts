import type { Structure } from './measure.ts';
import type { MeasuredWalk, WalkMeasures } from './walk-measures.ts';
import { WALKS } from './walks.ts';

/** Column of the report, which shows the measurements of one checkout. */
export interface Column {
  title: string;
  structure: Structure;
}

/** Formats the structure of one or more checkouts as Markdown, side by side. */
export function reportStructure(columns: readonly Column[]): string {
  const last = columns.at(-1)!;
  return [
    '# Structure of the tree',
    EXPLANATION,
    table('Figure', columns, (structure) =>
      structure.figures.map(({ label, count }) => [label, String(count)]),
    ),
    '## Walks',
    `${WALK_EXPLANATION}\n\n${listWalks()}`,
    table('Walk', columns, (structure) => structure.walks.flatMap(walkRows)),
    '## Functions with more than 80 lines',
    table('Function', columns, (structure) =>
      structure.longFunctions.map(({ key, lines }) => [`\`${key}\``, `${lines} lines`]),
    ),
    '## Folders with more than 20 files',
    table('Folder', columns, (structure) =>
      structure.crowdedFolders.map(({ label, count }) => [`\`${label}\``, `${count} files`]),
    ),
    '## Lines of code by folder',
    table('Folder', columns, (structure) =>
      structure.topFolders.map(({ folder, files, lines }) => [
        `\`${folder}\``,
        `${lines} lines in ${files} files`,
      ]),
    ),
    `## Pairs of folders that import each other: ${last.title}`,
    listItems(last.structure.mutualFolders.map(([from, to]) => `\`${from}\` and \`${to}\``)),
  ].join('\n\n');
}

const EXPLANATION = `Files and importers are the TypeScript files of \`src\`, \`durable-objects\`, \`queues\`, \`parser\`, \`ocr\` and
\`server\`. Tests, scripts and benches do not count as importers. The folder of a file is the one that holds it directly. Two
folders of \`src\` are a pair if each has a file that imports one of the other; this includes a folder and its parent.`;

const WALK_EXPLANATION = `A walk follows one value from the request to the place where it has its effect. Functions of the same room that
follow each other are one stop. A climb is a stop in a room that may import the room of the stop before. A return is a stop in a
room that was visited before. \`scripts/structure/walks.ts\` lists the functions.`;

const listWalks = () => listItems(WALKS.map(({ value, from, to }) => `${value}: from ${from} to ${to}`));

const WALK_ROWS = ['functions', 'stops', 'rooms', 'names', 'climbs', 'returns'] as const satisfies Extract<
  keyof WalkMeasures,
  string
>[];

function walkRows(walk: MeasuredWalk): [string, string][] {
  return WALK_ROWS.map((name) => [
    `${walk.value}: ${name}`,
    'measures' in walk ? String(walk.measures[name]) : 'not declared',
  ]);
}

/**
 * Formats a table with one row for each label that occurs in any column. A column without the label shows a
 * dash.
 */
function table(
  heading: string,
  columns: readonly Column[],
  rowsIn: (structure: Structure) => [label: string, value: string][],
): string {
  const values = columns.map(({ structure }) => new Map(rowsIn(structure)));
  const labels = [...new Set(values.flatMap((column) => [...column.keys()]))];
  if (labels.length === 0) return 'None.';
  const rows = labels.map((label) => [label, ...values.map((column) => column.get(label) ?? '-')]);
  const heads = [heading, ...columns.map(({ title }) => title)];
  return [heads, heads.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

const listItems = (items: readonly string[]) =>
  items.length === 0 ? 'None.' : items.map((item) => `- ${item}`).join('\n');
