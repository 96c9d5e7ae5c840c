import { z } from 'zod';
import { Invalid } from '#src/lib/errors.ts';
import { collectWarnings, type Warning } from '#src/lib/schema/effect.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { RENAMED_FIELDS } from '#src/vocabulary/fields.ts';
import { fromZero } from './page-numbers.ts';

/** Parse request that a client sent as a form. */
export interface RequestedParse {
  parameters: ParseParameters;
  /** URL of the document to parse if the form contains no file. */
  url: string | undefined;
  warnings: Warning[];
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ...RENAMED_FIELDS.map(({ client, neutral }) => [client, neutral] as const),
  ['language', 'languages'],
]);

/** Converts form fields to parse parameters. Empty fields are ignored. */
export function readForm(values: readonly (readonly [string, string])[]): RequestedParse {
  const given = new Map<string, string[]>();
  for (const [name, value] of values) {
    if (value === '') continue;
    const own = NAMES.get(name) ?? name;
    // Forms transmit line breaks as CRLF.
    given.set(own, [...(given.get(own) ?? []), value.replaceAll('\r\n', '\n')]);
  }
  const url = given.get('input_url')?.at(-1);
  given.delete('input_url');
  const named = Object.fromEntries([...given].map(([name, texts]) => [name, parseParameter(name, texts)]));
  const pages = named.target_pages;
  if (typeof pages === 'string') named.target_pages = fromZero(pages);
  // The URL is not part of the parameters here, so it is validated separately with the schema of `input_url`.
  parseInput(parseParameters.shape.input_url, url, ['body', 'input_url']);
  const parameters = parseInput(parseParameters, named, ['body']);
  return { parameters, url, warnings: collectWarnings(parseParameters, named) };
}

function parseParameter(name: string, texts: string[]): unknown {
  const field = Object.hasOwn(parseParameters.shape, name)
    ? parseParameters.shape[name as keyof typeof parseParameters.shape]
    : undefined;
  const type = field && unwrapped(field);
  if (type instanceof z.ZodArray) return parseList(name, texts);
  const text = texts.at(-1)!;
  if (type instanceof z.ZodBoolean && /^(true|1)$/i.test(text)) return true;
  if (type instanceof z.ZodBoolean && /^(false|0)$/i.test(text)) return false;
  if (type instanceof z.ZodNumber && /^[+-]?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  return text;
}

/** Reads a list: a repeated field, JSON, or values separated by commas. */
function parseList(name: string, texts: string[]): unknown {
  const [text = ''] = texts;
  if (texts.length > 1) return texts;
  if (!/^\s*\[/.test(text)) return text.split(',').map((part) => part.trim());
  try {
    return JSON.parse(text);
  } catch {
    throw Invalid.field([name], 'Input should be valid JSON', 'json_invalid');
  }
}

const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;
