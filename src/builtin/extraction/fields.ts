import { getSchemaType, isRecord, type JsonSchema, resolve } from '#src/json-schema/schema.ts';
import { fold, splitIdentifier, splitWords } from '#src/lib/text/words.ts';
import { findPartyPart, findPartyRole, type PartyPart, type PartyRole } from './parties/party-roles.ts';
import { AMOUNT_LABELS, type AmountRole, findAmountRole } from './vocabulary/amounts.ts';
import { type Concept, findConcept, type Kind } from './vocabulary/concept.ts';
import { CONCEPTS } from './vocabulary/concepts.ts';
import { findLabelConcepts } from './vocabulary/labels.ts';
import { LINE_CONCEPTS } from './vocabulary/line-concepts.ts';

/**
 * Words that label a field in documents. If `inlineOnly` is true, the label and its value must be in the same
 * text.
 */
export interface Phrase {
  words: string[];
  weight: number;
  inlineOnly: boolean;
}

/** Leaf of the client's schema, with its kind of value and its labels in documents. */
export interface Field {
  name: string;
  description: string;
  schema: JsonSchema;
  type: string;
  kind: Kind;
  options: unknown[];
  phrases: Phrase[];
  concept?: Concept;
  amount?: AmountRole;
  role?: PartyRole;
  part?: PartyPart;
}

const FORMAT_KINDS: Record<string, Kind> = {
  date: 'date',
  'date-time': 'datetime',
  time: 'time',
  email: 'email',
  'idn-email': 'email',
  uri: 'url',
  url: 'url',
  hostname: 'url',
  'uri-reference': 'url',
  uuid: 'uuid',
};
const MONEY_WORDS =
  /\b(amount|price|cost|fee|charge|payment|salary|total|subtotal|sum|balance|tax|revenue|budget|premium|rent|deposit|betrag|preis|prijs|bedrag|montant|prix|kwota|cena)s?\b/;
/**
 * Matches words for pay and profit. Their gross and net amounts are not totals of a bill, but an amount "to
 * pay" is.
 */
const SALARY_WORDS = /\b(?:(?<!\bto )pay|salary|wages?|income|earnings|loss|profit)\b/;
/** Matches fields that ask for an amount without further detail. */
const ANY_AMOUNT = /^(?:amount|sum|betrag|bedrag|montant|importe|importo|kwota)(?: paid)?$/;
const IDENTIFIER_WORDS = /\b(number|no|nr|id|code|identifier|reference|ref|serial|sku|nummer|numero)\b/;
const GENERIC_WORDS = new Set([
  'number',
  'no',
  'nr',
  'id',
  'code',
  'date',
  'name',
  'value',
  'amount',
  'type',
  'text',
  'field',
  'info',
  ...'numero nummer numer numéro data datum fecha nome nom naam nombre nazwa'.split(' ').map(fold),
]);
const SMALL_WORDS = new Set([
  'the',
  'a',
  'an',
  'of',
  'in',
  'on',
  'at',
  'to',
  'for',
  'by',
  'with',
  'and',
  'or',
  'is',
  'was',
  'as',
  'from',
]);

/**
 * Maximum number of characters of a field's name that are examined. Dozens of patterns search the name for
 * two words at any distance, which would be slow in a longer name.
 */
const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 1_000;

/**
 * Describes a field of a schema. `above` contains the names of the enclosing objects, outermost first.
 * `inRow` says that the field is a column of a table.
 */
export function describeField(
  root: JsonSchema,
  name: string,
  schema: JsonSchema,
  above: string[] = [],
  inRow = false,
): Field {
  const { schema: own, options } = resolve(root, schema);
  const words = splitIdentifier(name.slice(0, MAX_NAME_LENGTH));
  const title = typeof own.title === 'string' ? own.title.slice(0, MAX_NAME_LENGTH) : '';
  const description =
    typeof own.description === 'string' ? own.description.slice(0, MAX_DESCRIPTION_LENGTH) : '';
  const context = splitIdentifier(above.map((each) => each.slice(0, MAX_NAME_LENGTH)).join(' '));
  const isGeneric = words.every((word) => GENERIC_WORDS.has(word));
  const values = options.flatMap(
    (option) => option.enum ?? (option.const === undefined ? [] : [option.const]),
  );
  const type = getSchemaType(own);
  // The column of `price.amount` is headed "Price", so a generic name is combined with the name above it.
  const labelWords = inRow && isGeneric ? [...context.slice(-1), ...words] : words;
  const text = fold(`${labelWords.join(' ')} ${title}`).trim();
  const found =
    findConcept(inRow ? LINE_CONCEPTS : CONCEPTS, text, description) ??
    (inRow ? findConcept(CONCEPTS, text, '') : findLabelledConcept(text));
  const kind = inferKind(own, type, text, description, found, values);
  const concept = found && isCompatible(found, kind) ? found : undefined;
  const amount =
    !inRow && kind === 'money' && !SALARY_WORDS.test(text)
      ? (findAmountRole(text) ??
        findAmountRole(fold(description)) ??
        (ANY_AMOUNT.test(text) ? 'gross' : undefined))
      : undefined;
  const role = inRow ? undefined : findPartyRole([...context, text].join(' '), description);
  const part = inRow ? undefined : findPartyPart(text, description, context, kind);
  return {
    name,
    description,
    schema: own,
    type,
    kind,
    options: values,
    phrases: [
      ...listPhrases({ words, title, description, context, concept, amount, kind, role }),
      ...(inRow && isGeneric && context.length > 0
        ? [{ words: context.slice(-1), weight: 0.8, inlineOnly: false }]
        : []),
    ],
    ...(concept && { concept }),
    ...(amount && { amount }),
    ...(role && { role }),
    ...(part && { part }),
  };
}

function inferKind(
  schema: JsonSchema,
  type: string,
  text: string,
  description: string,
  concept: Concept | undefined,
  values: unknown[],
): Kind {
  if (type === 'boolean') return 'boolean';
  if (values.length > 0) return 'enum';
  if (type === 'number' || type === 'integer') {
    if (concept?.kind === 'percent' || /\b(percent\w*|pct|rate)\b/.test(text)) return 'percent';
    if (concept?.kind === 'money' || concept?.kind === 'number') return concept.kind;
    return type === 'number' &&
      (MONEY_WORDS.test(text) || findAmountRole(text) || findAmountRole(fold(description)))
      ? 'money'
      : 'number';
  }
  const format = schema.format && FORMAT_KINDS[schema.format];
  if (format) return format;
  if (QUESTION.test(description)) return 'text';
  if (asksForDuration(text, description)) return 'text';
  if (/\b(timestamp|date ?time)\b/.test(text)) return 'datetime';
  if (/\b(date|datum)\b|\bday( of\b|$)/.test(text)) return 'date';
  if (concept?.kind) return concept.kind;
  if (IDENTIFIER_WORDS.test(text)) return 'identifier';
  if (/\b(amount|price|total)\b/.test(text)) return 'money';
  return 'text';
}

/** Matches a description that is a complete question, which shows the form of the answer. */
const QUESTION =
  /^(?:(?:in|on|at|to|from|with) )?(?:who|whom|whose|where|which|what|when|how|why)\b[^?]{3,}\?\s*$/i;

/**
 * Returns whether a field asks for a length of time, such as "30 days", rather than for the dates at its
 * ends.
 */
function asksForDuration(text: string, description: string): boolean {
  return (
    /\b(duration|length|dauer|laufzeit|duree|plazo)\b|\bnotice( period)?$|\bterm$/.test(text) ||
    /\b\d+ (?:days?|weeks?|months?|years?)\b|number and (?:a )?unit/i.test(description)
  );
}

function isCompatible(concept: Concept, kind: Kind): boolean {
  if (!concept.kind || concept.kind === kind || kind === 'enum' || kind === 'text') return true;
  const alike: Kind[][] = [
    ['date', 'datetime', 'time'],
    ['money', 'number', 'percent'],
    ['identifier', 'vat_id', 'number', 'text'],
  ];
  return alike.some((group) => group.includes(kind) && group.includes(concept.kind!));
}

/**
 * Returns the concept that the field's name stands for in some language, such as an invoice number. Returns
 * undefined if no concept or several concepts match.
 */
function findLabelledConcept(text: string): Concept | undefined {
  const [id, ...others] = findLabelConcepts(text) ?? [];
  return others.length === 0 ? CONCEPTS.find((concept) => concept.id === id) : undefined;
}

interface PhraseSource {
  words: string[];
  title: string;
  description: string;
  context: string[];
  concept: Concept | undefined;
  amount: AmountRole | undefined;
  kind: Kind;
  role: PartyRole | undefined;
}

function listPhrases(source: PhraseSource): Phrase[] {
  const phrases = new Map<string, Phrase>();
  const add = (words: string[], weight: number, inlineOnly = false) => {
    const key = words.join(' ');
    if (key === '' || (phrases.get(key)?.weight ?? 0) >= weight) return;
    phrases.set(key, { words, weight, inlineOnly });
  };
  const { words, title, description, context, concept, amount } = source;
  add(words, words.length > 1 ? 1 : 0.9);
  if (title) add(splitWords(title), 1);
  if (context.length > 0) add([...context.slice(-1), ...words], 1);
  for (const quoted of description.matchAll(/["“„'‘`]([^"”“'’`]{2,40})["”“'’`]/g))
    add(splitWords(quoted[1]!), 1);
  // A field "original invoice number" asks for a different number than the label "invoice number".
  const narrower = words.some(
    (word) =>
      !GENERIC_WORDS.has(word) &&
      !SMALL_WORDS.has(word) &&
      !concept?.labels.some((label) => label.includes(word)),
  );
  const known = narrower && !source.role ? 0.7 : 0.95;
  for (const label of concept?.labels ?? []) add(label.split(' '), known);
  for (const label of concept?.weak ?? []) add(label.split(' '), 0.75, true);
  if (amount) {
    for (const label of AMOUNT_LABELS[amount].strong) add(label.split(' '), 0.95);
    for (const label of AMOUNT_LABELS[amount].weak) add(label.split(' '), 0.65);
  }
  for (const other of CONCEPTS) {
    if (other === concept || other.kind !== concept?.kind || !other.field.test(fold(description))) continue;
    for (const label of other.labels) add(label.split(' '), 0.6);
  }
  const specific = words.filter((word) => !GENERIC_WORDS.has(word));
  if (specific.length > 0 && specific.length < words.length) add(specific, 0.6);
  if (words.length > 1 && !concept) {
    const generic = words.filter((word) => GENERIC_WORDS.has(word));
    if (generic.length > 0 && generic.length < words.length) add(generic, 0.4);
    if (specific.length > 1) for (const word of specific) if (word.length > 3) add([word], 0.45);
  }
  return [...phrases.values()];
}

/** Returns the properties of an object schema with their names. References are resolved. */
export function listProperties(root: JsonSchema, schema: JsonSchema): [string, JsonSchema][] {
  const { schema: own } = resolve(root, schema);
  return Object.entries(own.properties ?? {}).filter(([, property]) => isRecord(property));
}
