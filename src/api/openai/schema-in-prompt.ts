import { isRecord } from '#src/json-schema/schema.ts';

/** Maximum number of opening braces from which a schema is tried to be read. */
const MAX_ATTEMPTS = 10;
const MAX_SCHEMA_CHARACTERS = 100_000;

/**
 * Finds the JSON Schema of an object in a prompt. Clients such as the AI SDK and LangChain write it there if they cannot
 * send it as the format of the answer. Returns `undefined` if there is none.
 */
export function findSchema(prompt: string): Record<string, unknown> | undefined {
  if (!prompt.includes('"properties"')) return undefined;
  let at = prompt.indexOf('{');
  for (let tried = 0; at >= 0 && tried < MAX_ATTEMPTS; tried += 1) {
    const end = findEnd(prompt, at);
    const value = end === undefined ? undefined : parse(prompt.slice(at, end));
    if (isRecord(value) && isRecord(value.properties)) return value;
    at = prompt.indexOf('{', value === undefined ? at + 1 : end);
  }
  return undefined;
}

/** Returns the offset after the brace that closes the one at `from`. Braces in strings do not count. */
function findEnd(text: string, from: number): number | undefined {
  let depth = 0;
  let isInString = false;
  const limit = Math.min(text.length, from + MAX_SCHEMA_CHARACTERS);
  for (let at = from; at < limit; at += 1) {
    const character = text[at];
    if (isInString && character === '\\') at += 1;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && character === '{') depth += 1;
    else if (!isInString && character === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
