import { describe, expect, it } from 'vitest';
import { type Figure, fallenFigures, formatFigures, raiseFloors } from '#bench/builtin/figures.ts';

const ndcg = (value: number): Figure => ({ task: 'retrieval', set: 'seas', metric: 'nDCG@10', value });
const error = (value: number): Figure => ({
  task: 'classification',
  set: 'ports',
  metric: 'ECE',
  value,
  lowerIsBetter: true,
});
const floors = { 'retrieval seas nDCG@10': 0.8, 'classification ports ECE': 0.1 };
const fell = (...figures: Figure[]) => fallenFigures(figures, floors).map(({ figure }) => figure.set);

describe('floors of the built-in methods', () => {
  it('report figures that are worse by more than .01', () => {
    expect(fell(ndcg(0.795), error(0.105))).toEqual([]);
    expect(fell(ndcg(0.785), error(0.115))).toEqual(['seas', 'ports']);
    expect(fell(ndcg(0.9), error(0))).toEqual([]);
  });

  it('ignore figures without a floor', () => {
    expect(fell({ ...ndcg(0), set: 'new' })).toEqual([]);
  });

  it('are raised by better figures and kept by worse ones', () => {
    expect(raiseFloors([ndcg(0.85678), error(0.05)], floors)).toEqual({
      'classification ports ECE': 0.05,
      'retrieval seas nDCG@10': 0.8568,
    });
    expect(raiseFloors([ndcg(0.7), error(0.2)], floors)).toEqual(floors);
    expect(raiseFloors([ndcg(0.7)], {})).toEqual({ 'retrieval seas nDCG@10': 0.7 });
  });

  it('stand in the table beside their figures', () => {
    const [header, good, bad] = formatFigures([{ ...ndcg(0.9), baseline: 0.5 }, error(0.2)], floors);
    expect(header).toMatch(/left out +floor +baseline$/);
    expect(good).toMatch(/seas +nDCG@10 +0\.9000 +0\.8000 +0\.5000$/);
    expect(bad).toMatch(/ports +ECE +0\.2000 +0\.1000 +- {2}FELL$/);
  });
});
