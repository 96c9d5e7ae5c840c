import { drawn, type Input, indexed } from '#test/process/hostile/input.ts';
import { hostileArchives } from '#test/support/hostile-documents/archives.ts';
import { hostileImages } from '#test/support/hostile-documents/images.ts';
import { hostilePdfs } from '#test/support/hostile-documents/pdf.ts';
import { hostileSpreadsheets } from '#test/support/hostile-documents/spreadsheets.ts';

/** Small files that cost a careless parser far more than their size. Pages of PDFs and pictures are drawn as well. */
export const documents: Input[] = [
  ...hostilePdfs.map((pdf) => drawn('PDF', pdf)),
  ...hostileImages.map((picture) => drawn('picture', picture)),
  ...hostileArchives.map(({ name, file, bytes }) => indexed(`archive: ${name}`, file, bytes)),
  ...hostileSpreadsheets.map(({ name, file, bytes }) => indexed(`sheets: ${name}`, file, bytes)),
];
