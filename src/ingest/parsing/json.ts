import { decodeText } from './encoding.ts';
import { ParseError } from './errors.ts';
import { finishDocument } from './finish.ts';
import { Flow } from './flow/flow.ts';
import type { Parser } from './parser.ts';

const MAX_DEPTH = 200;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function parseLines(text: string): Json[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) return undefined;
  try {
    return lines.map((line) => JSON.parse(line) as Json);
  } catch {
    return undefined;
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const lines = parseLines(text);
    if (lines) return lines;
    const detail = error instanceof Error ? error.message : 'it cannot be read';
    throw new ParseError('FILE_IS_BROKEN', `The file is not valid JSON: ${detail}.`, error);
  }
}

function depthOf(value: Json, depth = 0): number {
  if (depth > MAX_DEPTH || value === null || typeof value !== 'object') return depth;
  let deepest = depth + 1;
  for (const inner of Object.values(value)) deepest = Math.max(deepest, depthOf(inner, depth + 1));
  return deepest;
}

const isScalar = (value: Json) => value === null || typeof value !== 'object';

/** Records that a table shows without loss: objects with plain values, sharing most of their keys. */
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
  return [header, ...records.map((record) => header.map((key) => String(record[key] ?? '')))];
}

/** JSON and JSON lines: lists of flat records as a table, anything else as indented JSON. */
export const jsonParser: Parser = {
  async open({ bytes, parameters }) {
    const value = parse(decodeText(bytes).text);
    if (depthOf(value) > MAX_DEPTH) {
      throw new ParseError('FILE_IS_BROKEN', 'The file is nested too deeply to be a document.');
    }
    const flow = new Flow(parameters);
    const rows = asTable(value);
    if (rows) flow.table(rows.map((row) => row.map((cell) => ({ text: cell, markdown: cell }))));
    else flow.code(JSON.stringify(value, null, 2), 'json');
    return finishDocument(flow);
  },
};
