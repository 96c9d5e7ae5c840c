import { fold, wordsOf } from '#src/lib/text/words.ts';

export type Kind =
  | 'date'
  | 'datetime'
  | 'time'
  | 'money'
  | 'number'
  | 'percent'
  | 'email'
  | 'url'
  | 'phone'
  | 'iban'
  | 'bic'
  | 'vat_id'
  | 'uuid'
  | 'identifier'
  | 'currency'
  | 'postal_code'
  | 'boolean'
  | 'enum'
  | 'text';

export interface Concept {
  id: string;
  kind?: Kind;
  field: RegExp;
  labels: string[];
  weak?: string[];
}

export function concept(
  id: string,
  kind: Kind | undefined,
  field: RegExp,
  labels: string,
  weak?: string,
): Concept {
  return {
    id,
    field,
    labels: labels.split('|').map(phrase),
    ...(kind && { kind }),
    ...(weak && { weak: weak.split('|').map(phrase) }),
  };
}

export function phrase(text: string): string {
  return wordsOf(text).join(' ');
}

/** Labels written as one text, parted by bars, folded. */
export function phrases(labels: string): string[] {
  return labels.split('|').map(phrase);
}

/** The concept of a schema field, from its name first and its description second. */
export function conceptOf(concepts: Concept[], name: string, description: string): Concept | undefined {
  return firstOf(concepts, fold(name)) ?? firstOf(concepts, fold(description));
}

const MOST_KEPT = 500;
const kept = new WeakMap<Concept[], Map<string, Concept | undefined>>();

/** Thousands of fields may refer to one definition, and with it to one long description: it is searched once. */
function firstOf(concepts: Concept[], text: string): Concept | undefined {
  if (!text) return undefined;
  let known = kept.get(concepts);
  if (!known || known.size >= MOST_KEPT) {
    known = new Map();
    kept.set(concepts, known);
  }
  if (!known.has(text))
    known.set(
      text,
      concepts.find(({ field }) => field.test(text)),
    );
  return known.get(text);
}
