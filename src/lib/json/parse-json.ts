import { getErrorMessage, Invalid } from '#src/lib/errors.ts';
import { hasMoreValuesThan, isDeeperThan } from './json-extent.ts';

/**
 * Maximum nesting of JSON. It is far above any real use, and far below the stack limit of recursive
 * functions.
 */
const MAX_DEPTH = 500;
/**
 * Maximum number of object properties and array items. A body with more could use a hundred times the memory
 * of its JSON while it is validated.
 */
const MAX_VALUES = 1_000_000;

/** Parses JSON that a client sent. Throws Invalid if it is no JSON, too deep, or has too many values. */
export function parseBoundedJson(text: string): unknown {
  const value = parseJson(text);
  if (isDeeperThan(value, MAX_DEPTH)) throw createError(`JSON is limited to ${MAX_DEPTH} levels of nesting`);
  if (hasMoreValuesThan(value, MAX_VALUES)) {
    throw createError(`JSON is limited to ${MAX_VALUES} members of objects and items of lists`);
  }
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw createError(`The body is not valid JSON: ${getErrorMessage(error)}`);
  }
}

const createError = (msg: string) => new Invalid([{ loc: ['body'], msg, type: 'json_invalid' }]);
