import { describe, expect, it } from 'vitest';
import { listPositionTrials } from '#ocr/reading/position-trials.ts';

const installed = ['eng', 'deu', 'chi_sim', 'ukr', 'ara', 'jpn', 'kor'];
const list = (share: number, models = 'eng', among: readonly string[] = installed) =>
  listPositionTrials(share, models, among).map(({ turns, models }) => `${models} ${turns}`);

describe('listPositionTrials', () => {
  it('tries level text in other scripts before it turns the picture', () => {
    expect(list(0.9)).toEqual([
      'eng 0',
      'eng 2',
      ...['chi_sim', 'ukr', 'ara', 'jpn', 'kor'].map((model) => `${model} 0`),
      ...['chi_sim', 'ukr', 'ara', 'jpn', 'kor'].map((model) => `${model} 2`),
    ]);
  });

  it('tries only quarter turns if letters stand above each other', () => {
    expect(new Set(listPositionTrials(0.1, 'eng', installed).map(({ turns }) => turns))).toEqual(
      new Set([1, 3]),
    );
  });

  it('tries all positions if the direction of the lines is unknown', () => {
    expect(list(0.45, 'deu', [])).toEqual(['deu 0', 'deu 2', 'deu 1', 'deu 3']);
  });

  it('tries one model per script, and no other model of the known script', () => {
    expect(list(0.9).join()).not.toContain('deu');
    expect(list(0.9, 'chi_sim').join()).not.toContain('chi_tra');
  });

  it('limits the number of trials', () => {
    const many = [...installed, 'hin', 'heb', 'ell', 'tha', 'ben', 'tam', 'tel', 'kan'];
    expect(list(0.45, 'eng', many)).toHaveLength(14);
  });
});
