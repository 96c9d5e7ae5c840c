/**
 * Measures everything that works without a model, each figure with weights that were fitted without its corpus, and
 * compares the figures with their floors. Ends with code 1 if a figure fell.
 * Run: npm run bench:builtin -- [--only retrieval [--sets med,cisi]] [--accept]   (CORPORA=<dir>)
 * Retrieval and answers can be limited to some sets.
 * `--accept` raises the floors in bench/builtin/floors.json to the measured figures.
 */
import { parseArgs } from 'node:util';
import { answerFigures } from './answers/figures.ts';
import { classificationFigures } from './builtin/classification-figures.ts';
import { extractionFigures } from './builtin/extraction-figures.ts';
import {
  type Figure,
  fallenFigures,
  figureKey,
  formatFigures,
  raiseFloors,
  readFloors,
  writeFloors,
} from './builtin/figures.ts';
import { retrievalFigures } from './builtin/retrieval-figures.ts';
import { CORPORA } from './corpora.ts';

/** Function that measures a task, by the name of the task. It measures all sets if none are named. */
const TASKS: Record<Figure['task'], (sets?: string[]) => Promise<Figure[]>> = {
  extraction: () => extractionFigures(),
  retrieval: retrievalFigures,
  answers: answerFigures,
  classification: classificationFigures,
};

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    sets: { type: 'string' },
    accept: { type: 'boolean', default: false },
  },
});
const floors = readFloors();
const figures: Figure[] = [];
for (const [task, measure] of Object.entries(TASKS)) {
  if (options.only === undefined || options.only === task)
    figures.push(...(await measure(options.sets?.split(','))));
}
if (figures.length === 0) {
  console.log(
    `Nothing was measured. --only takes one of: ${Object.keys(TASKS).join(', ')}. CORPORA is ${CORPORA}.`,
  );
  process.exit(1);
}
for (const line of formatFigures(figures, floors)) console.log(line);
if (options.accept) writeFloors(raiseFloors(figures, floors));
const fallen = fallenFigures(figures, floors);
if (fallen.length > 0) {
  console.log(`Fell below the floor: ${fallen.map(({ figure }) => figureKey(figure)).join(', ')}`);
}
process.exit(fallen.length > 0 ? 1 : 0);
