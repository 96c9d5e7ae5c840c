import type { JsonSchema } from '#src/json-schema/schema.ts';
import { splitIdentifier, splitWords } from '#src/lib/text/words.ts';

/** Schema fields that a prompt asks to add, require or remove. */
export interface PromptFields {
  properties: Record<string, JsonSchema>;
  removed: string[];
  required: string[];
}

const LEAD =
  /^(?:(?:please|extract|get|find|capture|pull|read|return|give me|list|collect|identify|add|include|also|and|or|i need|i want|we need|the|a|an|all|any|every|each|its|their|his|her|following|fields?|information|details|data|value of|values of|name of the)\s+)+/i;
const TRAIL =
  / (?:from|in|on|of|for|out of) (?:the|this|these|each|every|an?|my|our|all) .*$| (?:as|if|when|where|please|should|must|are|is)\b.*$/i;
const LIST_WORDS =
  /\b(items?|lines?|rows?|entries|products|articles|services|charges|transactions|positions|participants|parties|employees|skills|members|attendees|list)\b/i;

const MAX_LEVELS = 4;

const collapseSpaces = (text: string) => text.trim().replace(/\s+/g, ' ');

/**
 * Converts a prompt such as "invoice number, date and line items (description, quantity, price)" to
 * properties of a schema.
 */
export function parsePromptFields(prompt: string): PromptFields {
  const out: PromptFields = { properties: {}, removed: [], required: [] };
  for (const sentence of prompt.split(/\n+|(?<=[.!?])\s+/)) {
    // Collapses white space first, because the patterns below expect single spaces and would be ambiguous
    // with several.
    const text = collapseSpaces(sentence)
      .replace(/^[\s\-*•\d.)]+/, '')
      .replace(/[.!?]\s*$/, '');
    const removal = /^(?:remove|drop|delete|leave out|without|exclude) (.+)$/i.exec(text);
    if (removal) {
      for (const part of splitLabels(removal[1]!)) out.removed.push(toFieldName(cleanLabel(part)));
      continue;
    }
    const demand = /^make (.+?) (?:required|mandatory)$/i.exec(text);
    if (demand) {
      for (const part of splitLabels(demand[1]!)) out.required.push(toFieldName(cleanLabel(part)));
      continue;
    }
    const labels = /:\s*\S/.test(text) && !/^[^:]*\(/.test(text) ? text.slice(text.indexOf(':') + 1) : text;
    for (const part of splitLabels(labels)) addField(out.properties, part);
  }
  return out;
}

/** Splits a list of field labels at commas, semicolons and words for "and". Text in brackets is not split. */
function splitLabels(text: string): string[] {
  const out: string[] = [];
  let from = 0;
  for (const match of text.matchAll(/\([^)]*\)?|[,;]|\s(?:and|as well as|plus|und|et|en)\s/gi)) {
    if (match[0].startsWith('(')) continue;
    out.push(text.slice(from, match.index));
    from = match.index + match[0].length;
  }
  out.push(text.slice(from));
  return out;
}

function cleanLabel(part: string): string {
  return part.trim().replace(LEAD, '').replace(TRAIL, '').trim();
}

/**
 * Parses one field of the prompt and adds its schema to `properties`. `level` is the number of lists that
 * contain the field.
 */
function addField(properties: Record<string, JsonSchema>, part: string, level = 0): void {
  const inside =
    /^([^(]*?) ?\(([^)]*)\)/.exec(part.trim()) ?? /^(.*?) with (?:the |its |their )?(.*)$/i.exec(part.trim());
  const head = cleanLabel(inside?.[1] ?? part);
  const words = splitWords(head);
  if (words.length === 0 || words.length > 5 || !/\p{L}{2}/u.test(head)) return;
  const name = toFieldName(head);
  if (inside && level < MAX_LEVELS && LIST_WORDS.test(head)) {
    const items: Record<string, JsonSchema> = {};
    for (const inner of splitLabels(inside[2]!)) addField(items, inner, level + 1);
    if (Object.keys(items).length > 0) {
      properties[name] = {
        type: 'array',
        description: toSentence(head),
        items: { type: 'object', properties: items },
      };
      return;
    }
  }
  const enumerated =
    inside && /\bor\b|\//.test(inside[2]!)
      ? inside[2]!.split(/(?<!\s)\s*(?:,|\/|\bor\b)\s*/).filter(Boolean)
      : undefined;
  properties[name] = enumerated
    ? { type: 'string', enum: enumerated, description: toSentence(head) }
    : inferFieldSchema(head, inside?.[2]);
}

/**
 * Returns the JSON schema of a field. The words of its label determine the type: "deadline", for example,
 * becomes a date.
 */
export function inferFieldSchema(label: string, note?: string): JsonSchema {
  const text = splitWords(label).join(' ');
  const description = toSentence(note ? `${label} (${note})` : label);
  if (/\b(line items|items|skills|emails|phones|tags|names|list)\b/.test(text)) {
    return { type: 'array', description, items: { type: 'string' } };
  }
  if (/\b(date|deadline|birthday|datum|dob|born)\b/.test(text))
    return { type: 'string', format: 'date', description };
  if (/^(is|has|was|are|can)\b|\b(flag|whether)\b/.test(text)) return { type: 'boolean', description };
  if (/\be ?mail\b/.test(text)) return { type: 'string', format: 'email', description };
  if (/\b(number|no|nr|id|code|reference|iban|phone|zip)\b/.test(text) && !/\bnumber of\b/.test(text))
    return { type: 'string', description };
  if (/\b(count|number of|how many|age|years|pages)\b/.test(text)) return { type: 'integer', description };
  if (
    /\b(amount|total|price|cost|fee|tax|vat|sum|balance|rate|quantity|salary|percent\w*|subtotal|weight|discount|qty)\b/.test(
      text,
    )
  ) {
    return { type: 'number', description };
  }
  return { type: 'string', description };
}

export function toFieldName(label: string): string {
  const name = splitIdentifier(label)
    .filter((word) => !['the', 'of', 'a', 'an'].includes(word))
    .slice(0, 6)
    .join('_');
  return /^\d/.test(name) ? `field_${name}` : name || 'field';
}

function toSentence(text: string): string {
  const trimmed = collapseSpaces(text);
  return trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
}
