import { fold, splitIdentifier, splitWords } from '#src/lib/text/words.ts';
import { type Analysis, getAnalysis } from '../../terms.ts';
import type { Field } from '../fields.ts';
import { asksForTitle } from '../titles.ts';
import type { Dictionary } from '../vocabulary/dictionary.ts';
import type { Prose } from './index.ts';
import { findAskedEnd, type PeriodEnd } from './period.ts';

/** Kind of value that is searched for in running text, such as a date or an amount of money. */
export type AnswerForm =
  | 'date'
  | 'when'
  | 'duration'
  | 'number'
  | 'money'
  | 'percent'
  | 'place'
  | 'name'
  | 'kind';

export interface Term {
  stem: string;
  weight: number;
  /** True if the term is a synonym. A sentence may match the question without containing synonyms. */
  isSynonym: boolean;
}

/** A schema field in the form of a question, which sentences of a document can answer. */
export interface Question {
  terms: Term[];
  /** Stems of the words for the requested thing, such as "producer" in "Which oil producer …?". */
  heads: ReadonlySet<string>;
  answer: AnswerForm;
  /** True if the question asks for the date or title of the document itself. */
  isAboutDocument: boolean;
  /** Whether the question asks for the start or the end of a period. Undefined if it asks for neither. */
  end: PeriodEnd | undefined;
}

const buildWordPattern = (list: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${list})(?![\\p{L}\\p{N}])`, 'iu');

/**
 * Words in field descriptions that ask for each kind of value, with question words first. If a description
 * contains none of these words, the field asks for a name.
 */
const FORM_WORDS: [AnswerForm, RegExp][] = [
  [
    'duration',
    buildWordPattern(
      'how long|for how long|duration|period|term|length|wie lange|dauer|laufzeit|frist|durée|délai|duración|plazo|durata|duur|notice',
    ),
  ],
  [
    'when',
    buildWordPattern(
      'when|(?:what|which) (?:year|date|day|month)|year|wann|jahr|quand|année|cuándo|año|quando|anno|wanneer|jaar',
    ),
  ],
  [
    'number',
    buildWordPattern(
      'how many|how much|count|number of|wie viele?|anzahl|combien|nombre de|cuántos|cuántas|quanti|hoeveel|aantal',
    ),
  ],
  ['name', buildWordPattern('who|whom|wer|wem|wen|qui|quién|chi|wie is')],
  [
    'place',
    buildWordPattern(
      'where|place|city|town|country|state|province|jurisdiction|location|venue|law|wo|ort|stadt|land|recht|où|lieu|ville|pays|droit|dónde|lugar|ciudad|país|ley|dove|luogo|città|paese|waar|plaats',
    ),
  ],
];
/** Matches an example of a duration, which shows that the field asks for a length of time. */
const LENGTH_EXAMPLE = /\b\d+ (?:day|week|month|year|tag|woche|monat|jahr|jour|mois|an|día|mes|año)/i;

/** Words of schemas that say nothing about the answer, as in "the name of" or "number of". */
const GENERIC_WORDS = new Set(
  splitWords(
    'name names number value text string field printed given document amount yyyy mm dd iso e g example format day date type full only unit title what which who whom whose when where how many much long',
  ),
);
const GENERIC_WORD_WEIGHT = 0.15;
const MAX_TERMS = 24;

/**
 * Turns a schema field into a question, using the words of its name, title and description. Rare words get a
 * higher weight than common words.
 */
export function buildQuestion(
  field: Field,
  { analysis, weight, words: { ofSchema: dictionary } }: Prose,
): Question {
  const termByStem = new Map<string, Term>();
  const add = (text: string, share: number, isSynonym = false) => {
    for (const { word, term } of analysis.tokens(text)) {
      if (isStopWord(word)) continue;
      const own = (GENERIC_WORDS.has(word) ? GENERIC_WORD_WEIGHT : 1) * share * Math.max(0.2, weight(word));
      for (const stem of getTerms(word, [term], dictionary))
        if (own > (termByStem.get(stem)?.weight ?? 0)) termByStem.set(stem, { stem, weight: own, isSynonym });
    }
  };
  const title = typeof field.schema.title === 'string' ? field.schema.title : '';
  add(splitIdentifier(field.name).join(' '), 1);
  add(title, 1);
  add(removeExamples(field.description), 0.7);
  // Common labels of the field's concept become synonyms in the question.
  for (const label of field.concept?.labels.slice(0, 12) ?? []) add(label, 0.35, true);
  const terms = [...termByStem.values()].sort((left, right) => right.weight - left.weight);
  const isAboutDocument = !getPeriodEnd(field) && (asksForDocumentDate(field) || asksForTitle(field));
  return {
    terms: terms.slice(0, MAX_TERMS),
    heads: findHeads(field, analysis, dictionary),
    answer: inferAnswerForm(field),
    isAboutDocument,
    end: getPeriodEnd(field),
  };
}

/**
 * Returns the dictionary's meanings of a word, by which words of different languages are compared. Returns
 * the word's stem if the dictionary lacks the word.
 */
export const getTerms = (word: string, stems: readonly string[], dictionary: Dictionary): readonly string[] =>
  dictionary(fold(word)) ?? stems.slice(0, 1);

/** Schemas are mostly written in English, whatever the language of the document. */
const ENGLISH = getAnalysis('en', '');
const isStopWord = (word: string) => ENGLISH.read(word).meaningful.length === 0;

const MAX_HEADS = 3;

/**
 * Returns the stems of the first meaningful words of a field's description. Without a description, the
 * field's name is used.
 */
function findHeads({ name, description }: Field, analysis: Analysis, dictionary: Dictionary): Set<string> {
  const heads = new Set<string>();
  for (const word of splitWords(description.slice(0, 200) || splitIdentifier(name).join(' '))) {
    const isGeneric = GENERIC_WORDS.has(word) || word.length < 2 || isStopWord(word);
    const stems = isGeneric ? [] : analysis.read(word).meaningful;
    if (stems.length > 0) for (const stem of getTerms(word, stems, dictionary)) heads.add(stem);
    else if (heads.size > 0) break;
    if (heads.size === MAX_HEADS) break;
  }
  return heads;
}

const removeExamples = (text: string) =>
  text
    .replace(/\([^()]{0,60}\)|(?<!\p{L})['"‘“][^'"’”]{0,40}['"’”]/gu, ' ')
    .replace(/\be\.g\.[^.]{0,80}$/, ' ');

/**
 * Words about documents and dates. A schema field that uses only these words asks for the date of the
 * document itself.
 */
const DOCUMENT_WORDS = new Set(
  splitWords(
    'date dated day datum document contract agreement letter report statement certificate minutes lease policy order ' +
      'invoice receipt issue issued made signed concluded written created was is when it or and of the a on yyyy mm dd ' +
      'vertrag brief dokument vom ausgestellt fecha documento contrato carta acte lettre signature signing',
  ),
);

export const mentionsDocument = (text: string): boolean =>
  splitWords(text).some((word) => word.length > 3 && DOCUMENT_WORDS.has(word));

export function asksForDocumentDate({ kind, name, description }: Field): boolean {
  if (kind !== 'date' && kind !== 'datetime') return false;
  const only = (words: string[]) => words.every((word) => DOCUMENT_WORDS.has(word));
  return only(splitIdentifier(name)) && (only(splitWords(description)) || splitWords(description).length > 3);
}

/**
 * Returns whether a date field asks for the start or the end of a period. Returns undefined for other fields.
 */
export const getPeriodEnd = ({ kind, name, description }: Field): PeriodEnd | undefined =>
  kind === 'date' || kind === 'datetime'
    ? findAskedEnd(splitIdentifier(name).join(' '), description)
    : undefined;

/** Returns the kind of value that a field asks for in running text. */
export function inferAnswerForm({ kind, name, description }: Field): AnswerForm {
  if (kind === 'date' || kind === 'datetime') return 'date';
  if (kind === 'money') return 'money';
  if (kind === 'percent') return 'percent';
  if (kind === 'number') return 'number';
  if (kind !== 'text') return 'kind';
  if (LENGTH_EXAMPLE.test(description) || /number and (?:a )?unit/i.test(description)) return 'duration';
  const fieldName = `${splitIdentifier(name).join(' ')}`;
  // A question in the description is more reliable than a field name.
  return (
    findAskedForm(/^.{0,60}(?!\S)/s.exec(description)?.[0] ?? '') ??
    findAskedForm(fieldName) ??
    findAskedForm(description) ??
    'name'
  );
}

function findAskedForm(text: string): AnswerForm | undefined {
  let first: { at: number; answer: AnswerForm } | undefined;
  for (const [answer, pattern] of FORM_WORDS) {
    const at = pattern.exec(text)?.index;
    if (at !== undefined && (!first || at < first.at)) first = { at, answer };
  }
  return first?.answer;
}
