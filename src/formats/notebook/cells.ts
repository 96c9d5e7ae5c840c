import type { Json } from '../json/index.ts';

export type JsonObject = { [key: string]: Json };

/** Cell of a notebook, in the form of nbformat 4. */
export interface Cell {
  type: string;
  source: string;
  /** Heading level. Only notebooks of nbformat 3 have heading cells. */
  level: number;
  outputs: JsonObject[];
  /** Pictures that the Markdown of the cell refers to, by name and then by media type. */
  attachments: JsonObject;
}

export const asObject = (value: Json | undefined): JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};

export const asList = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** Returns a text that a notebook stores as one string or as a list of lines. */
export const asText = (value: Json | undefined): string =>
  (Array.isArray(value) ? value : [value]).map((line) => (typeof line === 'string' ? line : '')).join('');

function readCell(value: Json): Cell {
  const cell = asObject(value);
  return {
    type: asText(cell.cell_type),
    source: asText(cell.source ?? cell.input),
    level: Number(cell.level) || 1,
    outputs: asList(cell.outputs).map(asObject),
    attachments: asObject(cell.attachments),
  };
}

/** Returns the cells of a notebook, or `undefined` if the JSON is not a notebook. */
export function readCells(notebook: JsonObject): Cell[] | undefined {
  if (Array.isArray(notebook.cells)) return notebook.cells.map(readCell);
  // Notebooks of nbformat 3 divide their cells into worksheets.
  if (!Array.isArray(notebook.worksheets)) return undefined;
  return notebook.worksheets.flatMap((sheet) => asList(asObject(sheet).cells).map(readCell));
}

/** Returns the programming language of the code cells, in lower case. */
export function readLanguage(notebook: JsonObject): string {
  const metadata = asObject(notebook.metadata);
  const name =
    asText(asObject(metadata.kernelspec).language) ||
    asText(asObject(metadata.language_info).name) ||
    'python';
  return /^[\w+#.-]{1,30}$/.test(name) ? name.toLowerCase() : '';
}
