import type { HostileDocument } from './document.ts';
import { paintingPdfs } from './pdf/painting.ts';
import { patternPdfs } from './pdf/patterns.ts';
import { picturePdfs } from './pdf/pictures.ts';
import { shadingPdfs } from './pdf/shadings.ts';
import { structurePdfs } from './pdf/structure.ts';
import { textPdfs } from './pdf/text.ts';
import { transparencyPdfs } from './pdf/transparency.ts';

/** PDFs that use each group of drawing operators, resources and document structures to excess. */
export const hostilePdfs: readonly HostileDocument[] = [
  ...patternPdfs,
  ...shadingPdfs,
  ...transparencyPdfs,
  ...paintingPdfs,
  ...textPdfs,
  ...picturePdfs,
  ...structurePdfs,
];
