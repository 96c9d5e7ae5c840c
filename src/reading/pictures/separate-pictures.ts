import type { PicturesPlan } from '#src/parse/model-plan.ts';

/** Returns whether the model receives each picture in a call of its own, in addition to the whole page. */
export const readsPicturesSeparately = ({ charts, descriptions }: PicturesPlan) =>
  descriptions || charts === 'alone' || charts === 'alone and repaired';
