/**
 * Figures of the built-in methods, each measured on a corpus that took no part in choosing the method's constants, and
 * the floors that no change may lower.
 */
import { readFileSync } from 'node:fs';

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

/** Reads the floors beside this file: the best accepted value of each figure by its key. */
export const readFloors = () =>
  JSON.parse(readFileSync(new URL('floors.json', import.meta.url), 'utf8')) as Record<string, number>;
