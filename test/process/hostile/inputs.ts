import type { Input } from './input.ts';
import { archives } from './inputs/archives.ts';
import { conversations } from './inputs/conversations.ts';
import { narrowing } from './inputs/filters.ts';
import { jobs } from './inputs/jobs.ts';
import { markup } from './inputs/markup.ts';
import { pictures } from './inputs/pictures.ts';
import { ranges } from './inputs/ranges.ts';
import { requests } from './inputs/requests.ts';
import { schemas } from './inputs/schemas.ts';
import { texts } from './inputs/texts.ts';

export const INPUTS: readonly Input[] = [
  ...requests,
  ...jobs,
  ...texts,
  ...markup,
  ...archives,
  ...pictures,
  ...schemas,
  ...conversations,
  ...narrowing,
  ...ranges,
];
