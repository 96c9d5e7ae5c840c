import type { Input } from './input.ts';
import { archives } from './inputs/archives.ts';
import { charsets } from './inputs/charsets.ts';
import { conversations } from './inputs/conversations.ts';
import { documents } from './inputs/documents.ts';
import { narrowing } from './inputs/filters.ts';
import { jobs } from './inputs/jobs.ts';
import { markup } from './inputs/markup.ts';
import { offices } from './inputs/office.ts';
import { pictures } from './inputs/pictures.ts';
import { ranges } from './inputs/ranges.ts';
import { repeated } from './inputs/repeated.ts';
import { requests } from './inputs/requests.ts';
import { schemas } from './inputs/schemas.ts';
import { texts } from './inputs/texts.ts';

/** Every input, for `npm run test:hostile`. */
export const INPUTS: readonly Input[] = [
  ...requests,
  ...jobs,
  ...texts,
  ...markup,
  ...archives,
  ...pictures,
  ...offices,
  ...charsets,
  ...repeated,
  ...documents,
  ...schemas,
  ...conversations,
  ...narrowing,
  ...ranges,
];

const PLAIN_NAMES = new Set([
  'a filter 400 deep',
  'a schema: anyOf doubled 26 times',
  'HTML of 3,000,000 backticks',
  'mail parts 5,000 deep',
  'charset: scattered bytes as text',
  'PDF: a tiling pattern with steps of 0.01 on a page of 14,400 points',
  'picture: a TIFF whose directories run in a circle',
  'archive: 1,000 entries that overlap, of 8 MiB each',
  'sheets: 20,000 look-ups in 20,000 rows',
]);

/** A few inputs of different kinds, for the plain test run. */
export const PLAIN_INPUTS: readonly Input[] = INPUTS.filter(({ name }) => PLAIN_NAMES.has(name));
