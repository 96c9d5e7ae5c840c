import type { PicturesPlan } from '#src/parse/model-plan.ts';

/** Returns whether each picture is sent to the model in a separate call, in addition to the page. */
export const readsPicturesSeparately = ({ charts, descriptions }: PicturesPlan) =>
  descriptions || charts === 'alone' || charts === 'alone and repaired';
