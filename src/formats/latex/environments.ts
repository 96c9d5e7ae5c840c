/** Name of groups that commands open and close, and that do not end the paragraph. */
export const PLAIN_GROUP = '\\group';

/** Environments of tables, with their arguments: `o` for an option, `m` for a group. */
const TABLES: Record<string, string> = {
  tabular: 'om',
  'tabular*': 'mom',
  tabularx: 'mom',
  tabulary: 'mom',
  tabu: 'm',
  longtable: 'om',
  longtabu: 'om',
  supertabular: 'm',
  xltabular: 'mm',
  tblr: 'om',
};

/** Arguments of other environments that are not text. */
const ARGUMENTS: Record<string, string> = {
  figure: 'o',
  'figure*': 'o',
  table: 'o',
  'table*': 'o',
  wrapfigure: 'omom',
  wraptable: 'omom',
  subfigure: 'om',
  subtable: 'om',
  minipage: 'ooom',
  multicols: 'mo',
  columns: 'o',
  column: 'om',
  adjustbox: 'm',
  list: 'mm',
  itemize: 'o',
  enumerate: 'o',
  description: 'o',
  thebibliography: 'm',
  algorithm: 'o',
  algorithmic: 'o',
  otherlanguage: 'm',
  adjustwidth: 'mm',
  tcolorbox: 'o',
  mdframed: 'o',
  spacing: 'm',
};

const LISTS: Record<string, { isOrdered: boolean }> = {
  itemize: { isOrdered: false },
  'itemize*': { isOrdered: false },
  compactitem: { isOrdered: false },
  description: { isOrdered: false },
  list: { isOrdered: false },
  trivlist: { isOrdered: false },
  enumerate: { isOrdered: true },
  'enumerate*': { isOrdered: true },
  compactenum: { isOrdered: true },
  thebibliography: { isOrdered: false },
};

const find = <Value>(table: Record<string, Value>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const findTableArguments = (name: string): string | undefined => find(TABLES, name);
export const findArguments = (name: string): string => find(ARGUMENTS, name) ?? '';
export const findList = (name: string): { isOrdered: boolean } | undefined => find(LISTS, name);

export const isQuote = (name: string): boolean =>
  /^(?:quote|quotation|verse|displayquote|epigraph)$/.test(name);

/** Environments that draw a picture with commands. Their content is not text. */
export const isDrawing = (name: string): boolean =>
  /^(?:tikzpicture|pgfpicture|picture|pspicture|asy|axis|feynman|tikzcd|CD|forest|circuitikz)\*?$/.test(name);

/** Returns the word before the number of a caption in a floating environment. */
export function findCaptionLabel(name: string): string | undefined {
  if (/table/.test(name)) return 'Table';
  if (/figure/.test(name)) return 'Figure';
  if (/^algorithm/.test(name)) return 'Algorithm';
  return /^listing/.test(name) ? 'Listing' : undefined;
}
