import type { LayoutFeatures } from '#src/classification/document.ts';

const TABLE = 'table rows columns data';

/** What files are called by their format. */
const OF_EXTENSIONS: Record<string, string> = {
  csv: `csv ${TABLE}`,
  tsv: TABLE,
  xls: `excel spreadsheet ${TABLE}`,
  xlsx: `excel spreadsheet ${TABLE}`,
  ods: `spreadsheet ${TABLE}`,
  ppt: 'powerpoint presentation slides',
  pptx: 'powerpoint presentation slides',
  odp: 'presentation slides',
  eml: 'email mail message',
  msg: 'email mail message',
  md: 'markdown readme documentation',
  jpg: 'picture photo image',
  png: 'picture image',
};

/** Words for how a document looks, which rules may use of it ("slides", "rows and columns") and its text does not. */
export function shapeWords(layout: LayoutFeatures): string {
  const words = [OF_EXTENSIONS[layout.extension] ?? ''];
  if (layout.landscape > 0.6 && layout.wordsPerPage < 220) words.push('presentation slides');
  if (layout.tableLines > 0.6 && layout.sentencesPerHundredWords < 2) words.push(TABLE);
  if (layout.bulletLines > 0.3) words.push('list bullet points');
  if (layout.codeBlocks > 1) words.push('code program examples');
  return words.join(' ');
}
