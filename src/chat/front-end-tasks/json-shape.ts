import { isRecord } from '#src/json-schema/schema.ts';
import type { FrontEndTask } from '../model-request.ts';

type Shape = NonNullable<FrontEndTask['shape']>;

const MAX_TEMPLATES = 20;
const MAX_TEMPLATE_CHARACTERS = 2_000;
const MAX_MEMBERS = 20;
const MEMBER = /"([\p{L}_][\p{L}\p{N}_-]{0,40})"\s*:\s*([[{"<]?)/gu;

/**
 * Finds the first example of a JSON object in a prompt, such as `{ "title": "your title" }`. Returns its members, or
 * `undefined` if the prompt does not ask for JSON.
 */
export function findTemplate(prompt: string): Shape | undefined {
  if (!/json/i.test(prompt)) return undefined;
  let at = prompt.indexOf('{');
  for (let tried = 0; at >= 0 && tried < MAX_TEMPLATES; tried += 1) {
    const shape = readTemplate(prompt.slice(at, at + MAX_TEMPLATE_CHARACTERS));
    if (shape) return shape;
    at = prompt.indexOf('{', at + 1);
  }
  return undefined;
}

function readTemplate(text: string): Shape | undefined {
  const end = findEnd(text);
  if (end === undefined) return undefined;
  const members = [...removeInner(text.slice(1, end)).matchAll(MEMBER)].slice(0, MAX_MEMBERS);
  if (members.length === 0) return undefined;
  return Object.fromEntries(
    members.map(([, name, begin]) => [name!, begin === '[' ? 'list' : begin === '{' ? 'object' : 'text']),
  );
}

/** Returns the offset of the brace that closes the one at the beginning. */
function findEnd(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** Removes what is inside of inner objects and lists, so that only the outer members are left. */
function removeInner(text: string): string {
  let depth = 0;
  let outer = '';
  for (const character of text) {
    if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) outer += character;
    if (character === '{' || character === '[') depth += 1;
  }
  return outer;
}

/** Returns the members that a JSON Schema of an object describes. */
export function readShape(schema: Record<string, unknown> | undefined): Shape | undefined {
  if (!isRecord(schema?.properties)) return undefined;
  const members = Object.entries(schema.properties).slice(0, MAX_MEMBERS);
  if (members.length === 0) return undefined;
  const types = members.map(([name, member]) => {
    const type = isRecord(member) ? member.type : undefined;
    return [name, type === 'array' ? 'list' : type === 'object' ? 'object' : 'text'] as const;
  });
  return Object.fromEntries(types);
}
