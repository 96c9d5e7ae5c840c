import type { PicturesPlan } from '#src/parse/model-plan.ts';

/** Returns whether the model looks at pictures one by one, in addition to their page. */
export const looksAtEach = ({ charts, descriptions }: PicturesPlan) =>
  descriptions || charts === 'alone' || charts === 'alone and repaired';
