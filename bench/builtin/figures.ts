/**
 * Figures of the built-in methods, each measured on a corpus that took no part in choosing the method's constants, and
 * the floors that no change may lower.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One measured figure of one corpus, between 0 and 1. */
export interface Figure {
  task: 'retrieval' | 'answers' | 'extraction' | 'classification';
  /** The corpus as its folder is called, with a suffix if one folder holds several sets. */
  set: string;
  /** The usual name of the metric, for example `nDCG@10`, `F1` or `ECE`. */
  metric: string;
  value: number;
  /** The same metric of a trivial method on the same corpus. */
  baseline?: number;
  /** True for errors, which get better when they get smaller. */
  lowerIsBetter?: boolean;
}

/** A change may move a figure this far in the wrong direction without an explanation. */
const TOLERANCE = 0.01;

export const figureKey = (figure: Figure) => `${figure.task} ${figure.set} ${figure.metric}`;

/** Returns the figures that are worse than their floor by more than the tolerance, with the floor. */
export function fallenFigures(figures: Figure[], floors: Record<string, number>) {
  return figures.flatMap((figure) => {
    const floor = floors[figureKey(figure)];
    if (floor === undefined) return [];
    const loss = figure.lowerIsBetter ? figure.value - floor : floor - figure.value;
    return loss > TOLERANCE ? [{ figure, floor }] : [];
  });
}

/**
 * Returns the floors after the figures have been accepted. A floor only moves to better values. To lower a floor, edit
 * the file by hand and give the reason in the commit.
 */
export function raiseFloors(figures: Figure[], floors: Record<string, number>): Record<string, number> {
  const raised = { ...floors };
  for (const figure of figures) {
    const key = figureKey(figure);
    const value = Number(figure.value.toFixed(4));
    const floor = raised[key] ?? value;
    raised[key] = figure.lowerIsBetter ? Math.min(floor, value) : Math.max(floor, value);
  }
  return Object.fromEntries(Object.entries(raised).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns one line for each figure. The last column marks figures that fell below their floor. */
export function formatFigures(figures: Figure[], floors: Record<string, number>): string[] {
  const fallen = new Set(fallenFigures(figures, floors).map(({ figure }) => figureKey(figure)));
  const show = (value: number | undefined) => (value === undefined ? '-' : value.toFixed(4)).padStart(9);
  return [
    `${'task'.padEnd(15)}${'set'.padEnd(22)}${'metric'.padEnd(22)} left out    floor baseline`,
    ...figures.map((figure) => {
      const { task, set, metric, value, baseline } = figure;
      const numbers = [value, floors[figureKey(figure)], baseline].map(show).join('');
      const mark = fallen.has(figureKey(figure)) ? '  FELL' : '';
      return `${task.padEnd(15)}${set.padEnd(22)}${metric.padEnd(22)}${numbers}${mark}`;
    }),
  ];
}

const FLOORS = join(import.meta.dirname, 'floors.json');

/** Reads the floors beside this file: the best accepted value of each figure by its key. */
export const readFloors = () => JSON.parse(readFileSync(FLOORS, 'utf8')) as Record<string, number>;

export const writeFloors = (floors: Record<string, number>) =>
  writeFileSync(FLOORS, `${JSON.stringify(floors, null, 2)}\n`);
