import { fromBase64Url, toBase64Url } from './secrets/base64url.ts';

/** Type of one value in a cursor. The values of a cursor are the sort key of a row in a list. */
export type CursorPart = 'string' | 'number';

type Values<Shape extends readonly CursorPart[]> = {
  [Index in keyof Shape]: Shape[Index] extends 'number' ? number : string;
};

/** Encodes the sort key of the last returned row as an opaque cursor. */
export function encodeCursor(values: readonly (string | number)[]): string {
  return toBase64Url(JSON.stringify(values));
}

/**
 * Decodes a cursor to the sort key of a row. Returns `undefined` if the token is malformed or its values do
 * not have the types in `shape`.
 */
export function decodeCursor<const Shape extends readonly CursorPart[]>(
  token: string,
  shape: Shape,
): Values<Shape> | undefined {
  const bytes = fromBase64Url(token);
  const values = bytes && parse(new TextDecoder().decode(bytes));
  if (!Array.isArray(values) || values.length !== shape.length) return undefined;
  const matches = values.every((value, index) => typeof value === shape[index] && value !== Infinity);
  return matches ? (values as unknown as Values<Shape>) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
