import { z } from 'zod';
import { Invalid, type Issue, TooLarge, UnsupportedMediaType } from '#src/lib/errors.ts';
import { parseBoundedJson } from '#src/lib/json/parse-json.ts';
import { toIssues } from '#src/lib/schema/zod-issues.ts';

/** Maximum size of a JSON body in bytes. Files are sent as multipart forms instead. */
export const JSON_LIMIT_BYTES = 32 * 1024 * 1024;
type InputPart = 'query' | 'path' | 'body';

/** Parses the query, path and body. Throws one error with the issues of all parts. */
export function parseParts<Parts extends Partial<Record<InputPart, { schema: z.ZodType; value: unknown }>>>(
  parts: Parts,
): Record<InputPart, unknown> {
  const issues: Issue[] = [];
  const values: Record<InputPart, unknown> = { query: undefined, path: undefined, body: undefined };
  for (const [place, part] of Object.entries(parts) as [InputPart, { schema: z.ZodType; value: unknown }][]) {
    const result = part.schema.safeParse(part.value);
    if (result.success) values[place] = result.data;
    else issues.push(...toIssues(result.error, [place], part));
  }
  if (issues.length > 0) throw new Invalid(issues);
  return values;
}

/**
 * Converts query parameters to the types of their schema. Arrays come from repeated parameters. Text that
 * does not fit the type stays text, so that validation can report it.
 */
export function decodeQuery(schema: z.ZodObject, search: URLSearchParams): Record<string, unknown> {
  const decoded: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const texts = search.getAll(name);
    if (texts.length === 0) continue;
    const type = unwrap(field as z.ZodType);
    if (type instanceof z.ZodArray) {
      decoded[name] = texts.map((text) => decodeText(unwrap(type.element as z.ZodType), text));
    } else {
      decoded[name] = decodeText(type, texts.at(-1)!);
    }
  }
  return decoded;
}

/** Converts path parameters to the types of their schema. A number must consist of digits. */
export function decodePath(schema: z.ZodObject, texts: Record<string, string>): Record<string, unknown> {
  const decoded = Object.entries(texts).map(([name, text]) => {
    const isNumber = schema.shape[name] instanceof z.ZodNumber && /^\d+$/.test(text);
    return [name, isNumber ? Number(text) : text];
  });
  return Object.fromEntries(decoded);
}

function decodeText(type: z.ZodType, text: string): unknown {
  if (type instanceof z.ZodNumber && /^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type instanceof z.ZodBoolean && /^(true|1)$/i.test(text)) return true;
  if (type instanceof z.ZodBoolean && /^(false|0)$/i.test(text)) return false;
  return text;
}

function unwrap(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? unwrap(schema.unwrap() as z.ZodType)
    : schema;
}

/**
 * Parses the body as JSON. Returns `undefined` if there is no body. `limit` is in bytes and is checked while
 * reading, whatever length the request announces.
 */
export async function readJson(request: Request, limit = JSON_LIMIT_BYTES): Promise<unknown> {
  const type = request.headers.get('content-type');
  if (type !== null && !/^application\/([\w.+-]+\+)?json\b/i.test(type)) {
    throw new UnsupportedMediaType(`Content-Type must be application/json, not ${type}.`);
  }
  const text = new TextDecoder().decode(await readBytes(request, limit, () => tooLarge(limit)));
  if (text.trim() === '') return undefined;
  if (type === null) throw new UnsupportedMediaType('Content-Type must be application/json.');
  return parseBoundedJson(text);
}

/** Reads the body. Bytes are counted while reading, because the announced length may be wrong or missing. */
export async function readBytes(
  request: Request,
  limit: number,
  tooLarge: () => TooLarge,
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    size += read.value.byteLength;
    if (size > limit) {
      // The reader is released, so that the middleware can discard the rest of the body.
      reader?.releaseLock();
      throw tooLarge();
    }
    chunks.push(read.value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function tooLarge(limit: number): TooLarge {
  const most = limit >= 1024 * 1024 ? `${limit / 1024 / 1024} MiB` : `${limit / 1024} KiB`;
  return new TooLarge(`The JSON body of this operation is limited to ${most}.`);
}

export function requireForm(request: Request, urlencoded = false): void {
  const type = request.headers.get('content-type') ?? 'nothing';
  if (/^multipart\/form-data\b/i.test(type)) return;
  if (urlencoded && /^application\/x-www-form-urlencoded\b/i.test(type)) return;
  throw new UnsupportedMediaType(`Content-Type must be multipart/form-data, not ${type}.`);
}
