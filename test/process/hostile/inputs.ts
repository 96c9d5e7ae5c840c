import type { Input } from './input.ts';
import { archives } from './inputs/archives.ts';
import { jobs } from './inputs/jobs.ts';
import { markup } from './inputs/markup.ts';
import { pictures } from './inputs/pictures.ts';
import { requests } from './inputs/requests.ts';
import { texts } from './inputs/texts.ts';

export const INPUTS: readonly Input[] = [...requests, ...jobs, ...texts, ...markup, ...archives, ...pictures];
