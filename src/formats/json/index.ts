import { ParseError } from '#src/documents/errors.ts';
import { getOwn } from '#src/lib/get-own.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';

const MAX_DEPTH = 200;

/**
 * Maximum number of values in a JSON file. In `npm run bench:parse-limits`, 200,000 values with long distinct
 * names took 98 MiB of memory.
 */
const MAX_VALUES = 200_000;
/** Maximum number of spaces for indenting the output, because deeply nested values can need very many. */
const MAX_INDENT = 8 * 1024 * 1024;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function parseLines(text: string): Json[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) return undefined;
  try {
    return lines.map((line) => JSON.parse(line) as Json);
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON or lines of JSON. Throws ParseError FILE_IS_BROKEN for other texts, and DOCUMENT_TOO_LARGE if the
 * text has too many values.
 */
export function parseJson(text: string): Json {
  checkSize(text);
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const lines = parseLines(text);
    if (lines) return lines;
    const detail = error instanceof Error ? error.message : 'it cannot be read';
    throw new ParseError('FILE_IS_BROKEN', `The file is not valid JSON: ${detail}.`, error);
  }
}

/**
 * Counts the values of a JSON text without parsing it, because the parsed values might not fit into memory.
 * Throws ParseError if a limit is exceeded.
 */
function checkSize(text: string): void {
  let [values, depth, indent] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') at = stringEnd(text, at + 1);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (character !== ',' && character !== '{' && character !== '[') continue;
    if (depth > MAX_DEPTH) {
      throw new ParseError('FILE_IS_BROKEN', `The file is nested more than ${MAX_DEPTH} levels deep.`);
    }
    values += 1;
    indent += 2 * Math.max(0, depth);
    if (values > MAX_VALUES || indent > MAX_INDENT) {
      const limit =
        values > MAX_VALUES ? `${MAX_VALUES} values` : `${MAX_INDENT} spaces to indent its values`;
      throw new ParseError('DOCUMENT_TOO_LARGE', `The file needs more than ${limit}.`);
    }
  }
}

function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

const isScalar = (value: Json) => value === null || typeof value !== 'object';

/**
 * Converts a list of flat records to table rows. Returns `undefined` for other values, and if more than half
 * of the cells would be empty.
 */
function asTable(value: Json): string[][] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const keys = new Set<string>();
  let filled = 0;
  for (const record of value) {
    if (record === null || typeof record !== 'object' || Array.isArray(record)) return undefined;
    if (!Object.values(record).every(isScalar)) return undefined;
    for (const key of Object.keys(record)) {
      keys.add(key);
      filled++;
    }
  }
  if (keys.size === 0 || keys.size > 64 || filled * 2 < keys.size * value.length) return undefined;
  const header = [...keys];
  const records = value as { [key: string]: Json }[];
  return [header, ...records.map((record) => header.map((key) => String(getOwn(record, key) ?? '')))];
}

/**
 * Parses JSON and JSON Lines. A list of flat records becomes a table. Other values become a block of indented
 * JSON.
 */
export const jsonParser: Parser = {
  async open({ bytes, plan, budget }) {
    const value = parseJson(decodeText(bytes).text);
    const flow = new Flow(plan, budget);
    const rows = asTable(value);
    if (rows) flow.table(rows.map((row) => row.map((cell) => ({ text: cell, markdown: cell }))));
    else flow.code(JSON.stringify(value, null, 2), 'json');
    return finishDocument(flow);
  },
};
