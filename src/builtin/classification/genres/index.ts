import { BUSINESS } from './business.ts';
import { FORMATS } from './formats.ts';
import type { Genre } from './genre.ts';
import { REPORTS } from './reports.ts';

// English, Dutch, French, German and Polish where the genre's words differ; general knowledge of the genres only.
// A rule takes the first genre it names, so the more special ones stand first.
export const GENRES: Genre[] = [...BUSINESS, ...REPORTS, ...FORMATS];
