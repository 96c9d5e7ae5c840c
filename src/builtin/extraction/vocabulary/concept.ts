import { fold, splitWords } from '#src/lib/text/words.ts';

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

export function createConcept(
  id: string,
  kind: Kind | undefined,
  field: RegExp,
  labels: string,
  weak?: string,
): Concept {
  return {
    id,
    field,
    labels: labels.split('|').map(foldPhrase),
    ...(kind && { kind }),
    ...(weak && { weak: weak.split('|').map(foldPhrase) }),
  };
}

export function foldPhrase(text: string): string {
  return splitWords(text).join(' ');
}

/** Splits a list of labels at vertical bars, and removes case and accents from each label. */
export function splitPhrases(labels: string): string[] {
  return labels.split('|').map(foldPhrase);
}

/**
 * Finds the business concept, such as due date, that a schema field asks for. The field's name is tried
 * first, then its description.
 */
export function findConcept(concepts: Concept[], name: string, description: string): Concept | undefined {
  return findFirstMatch(concepts, fold(name)) ?? findFirstMatch(concepts, fold(description));
}

const MAX_CACHED_MATCHES = 500;
const matchCache = new WeakMap<Concept[], Map<string, Concept | undefined>>();

/**
 * Finds the first concept that matches a text. Results are cached by text, because thousands of fields may
 * refer to one definition with a long description.
 */
function findFirstMatch(concepts: Concept[], text: string): Concept | undefined {
  if (!text) return undefined;
  let known = matchCache.get(concepts);
  if (!known || known.size >= MAX_CACHED_MATCHES) {
    known = new Map();
    matchCache.set(concepts, known);
  }
  if (!known.has(text))
    known.set(
      text,
      concepts.find(({ field }) => field.test(text)),
    );
  return known.get(text);
}
