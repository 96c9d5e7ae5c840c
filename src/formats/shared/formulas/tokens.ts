import type { Corner, Operator } from './expression.ts';
import { type Scalar, toCellError, Uncomputable } from './values.ts';

/**
 * Families of file formats with different formula syntax. Office files contain `=SUM(A1:B2,3)`, and
 * OpenDocument files contain `of:=SUM([.A1:.B2];3)`.
 */
export type Dialect = 'ooxml' | 'odf';

export type Token =
  | { kind: 'literal'; value: Scalar }
  | { kind: 'area'; sheet?: string | undefined; from: Corner; to: Corner }
  | { kind: 'name' | 'function'; name: string }
  | { kind: 'operator'; operator: Operator }
  | { kind: 'mark'; mark: '(' | ')' | '{' | '}' | '%' | ',' | ';' };

export const MAX_ROW = 1_048_575;
export const MAX_COLUMN = 16_383;
const UNSUPPORTED_REFERENCE = 'it refers to another file or to a named table';
/** Maximum length of a formula in characters. Office has the same limit. */
const MAX_LENGTH = 8192;

const CELL = String.raw`\$?[A-Za-z]{1,3}\$?\d{1,7}`;
const REFERENCE = String.raw`${CELL}(?::${CELL})?(?![\w.(!])|\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}(?![\w.(!])|\$?\d{1,7}:\$?\d{1,7}(?![\w.])`;
const SHEET = String.raw`(?:'(?<quoted>(?:[^']|'')+)'|(?<bare>[\p{L}_][\p{L}\p{N}_.]*))!`;

const OOXML = new RegExp(
  [
    String.raw`(?<space>\s+)`,
    `(?<text>"(?:[^"]|"")*")`,
    String.raw`(?<error>#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A))`,
    `(?<reference>(?:${SHEET})?(?<range>${REFERENCE}))`,
    String.raw`(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)`,
    String.raw`(?<called>[\p{L}_][\p{L}\p{N}_.]*)\(`,
    String.raw`(?<name>[\p{L}_\\][\p{L}\p{N}_.\\]*)(?![\p{L}\p{N}_.!\[])`,
    `(?<operator><>|<=|>=|[-+*/^&=<>])`,
    `(?<mark>[(){}%,;|])`,
  ].join('|'),
  'uy',
);

const ODF_REFERENCE =
  /\[(?:\$?(?:'(?<quoted>(?:[^']|'')+)'|(?<bare>[^'.[\]$]+)))?\.(?<from>\$?[A-Z]{1,3}\$?\d{1,7})(?::(?:\$?(?:'(?:[^']|'')+'|[^'.[\]$]+))?\.(?<to>\$?[A-Z]{1,3}\$?\d{1,7}))?\]/y;

const parseColumn = (letters: string) =>
  [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

function parseCorner(text: string, otherwise: { row: number; column: number }): Corner {
  const match = /^(\$?)([A-Za-z]*)(\$?)(\d*)$/.exec(text);
  const [, first = '', letters = '', second = '', digits = ''] = match ?? [];
  const row = digits === '' ? otherwise.row : Number(digits) - 1;
  const column = letters === '' ? otherwise.column : parseColumn(letters);
  if (row < 0 || row > MAX_ROW || column > MAX_COLUMN)
    throw new Uncomputable('it refers to a cell outside the sheet');
  const rowFixed = digits === '' || second === '$' || (letters === '' && first === '$');
  return { row, column, rowFixed, columnFixed: letters === '' || first === '$' };
}

function parseArea(sheet: string | undefined, text: string): Token {
  const [from = '', to = from] = text.split(':');
  return {
    kind: 'area',
    sheet,
    from: parseCorner(from, { row: 0, column: 0 }),
    to: parseCorner(to, { row: MAX_ROW, column: MAX_COLUMN }),
  };
}

const unquote = (quoted: string | undefined, bare: string | undefined) =>
  quoted?.replaceAll("''", "'") ?? bare;

function rejectForeignSheet(sheet: string | undefined): void {
  if (sheet && /[[\]]|^file:|#/.test(sheet)) throw new Uncomputable('it refers to another file');
}

/**
 * Splits a formula into tokens. Throws Uncomputable if the formula cannot be read or refers to another file.
 */
export function tokenizeFormula(source: string, dialect: Dialect): Token[] {
  if (source.length > MAX_LENGTH) throw new Uncomputable('it is too long');
  const text = dialect === 'odf' ? source.replace(/^(?:of|oooc|msoxl):/, '') : source;
  const tokens: Token[] = [];
  let at = text.startsWith('=') ? 1 : 0;
  while (at < text.length) {
    if (dialect === 'odf' && text[at] === '[') {
      ODF_REFERENCE.lastIndex = at;
      const { quoted, bare, from, to } = ODF_REFERENCE.exec(text)?.groups ?? {};
      if (from === undefined) throw new Uncomputable('it refers to another file or has an invalid reference');
      const sheet = unquote(quoted, bare);
      rejectForeignSheet(sheet);
      tokens.push(parseArea(sheet, to === undefined ? from : `${from}:${to}`));
      at = ODF_REFERENCE.lastIndex;
      continue;
    }
    OOXML.lastIndex = at;
    const found = OOXML.exec(text)?.groups;
    if (!found)
      throw new Uncomputable(text.includes('[') ? UNSUPPORTED_REFERENCE : 'its syntax is not supported');
    at = OOXML.lastIndex;
    if (found.called !== undefined)
      tokens.push({ kind: 'function', name: normalizeFunctionName(found.called) });
    else if (found.space === undefined) tokens.push(buildToken(found, dialect));
  }
  return tokens;
}

/** Removes prefixes such as `_xlfn.`, with which Office stores the names of newer functions. */
const normalizeFunctionName = (name: string) =>
  name.toUpperCase().replace(/^(?:_XLFN\.|_XLWS\.|COM\.MICROSOFT\.)+/, '');

function buildToken(found: Record<string, string | undefined>, dialect: Dialect): Token {
  const { text, error, reference, range, number, name, operator, mark } = found;
  if (text !== undefined) return { kind: 'literal', value: text.slice(1, -1).replaceAll('""', '"') };
  if (error !== undefined) return { kind: 'literal', value: toCellError(error) };
  if (reference !== undefined) {
    const sheet = unquote(found.quoted, found.bare);
    rejectForeignSheet(sheet);
    return parseArea(sheet, range!);
  }
  if (number !== undefined) return { kind: 'literal', value: Number(number) };
  if (name !== undefined) {
    if (/^(?:true|false)$/i.test(name)) return { kind: 'literal', value: /^t/i.test(name) };
    return { kind: 'name', name };
  }
  if (operator !== undefined) return { kind: 'operator', operator: operator as Operator };
  // OpenDocument separates arguments by semicolons and array rows by bars. Both are converted to the
  // separators of Office.
  if (dialect === 'odf')
    return { kind: 'mark', mark: mark === ';' ? ',' : mark === '|' ? ';' : (mark as '(') };
  return { kind: 'mark', mark: mark as '(' };
}
