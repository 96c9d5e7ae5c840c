import { fold, nameWords, wordsOf } from '#src/lib/text/words.ts';
import { type Analysis, analysisFor } from '../../terms.ts';
import type { Field } from '../fields.ts';
import { asksTitle } from '../titles.ts';
import type { Dictionary } from '../vocabulary/dictionary.ts';
import type { Prose } from './index.ts';
import { endAsked, type PeriodEnd } from './period.ts';

/** What form a value takes that running text states. */
export type Answer =
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
  /** Another way to ask the same, which a document need not use. */
  isOther: boolean;
}

/** A field as a question to running text. */
export interface Question {
  terms: Term[];
  /** The stems of what is asked for: "Which oil producer …?", "Full name of the tenant". */
  heads: ReadonlySet<string>;
  answer: Answer;
  /** Whether it asks when the document itself was made, or what it is called. */
  isOfDocument: boolean;
  /** Which end of a period it asks for. */
  end: PeriodEnd | undefined;
}

const words = (list: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${list})(?![\\p{L}\\p{N}])`, 'iu');

/**
 * How schemas ask for each form in a text field: question words first, then nouns that mean the form itself. These
 * are words of those who ask, not of documents; without any of them a capitalised name is looked for.
 */
const ASKING: [Answer, RegExp][] = [
  [
    'duration',
    words(
      'how long|for how long|duration|period|term|length|wie lange|dauer|laufzeit|frist|durée|délai|duración|plazo|durata|duur|notice',
    ),
  ],
  [
    'when',
    words(
      'when|(?:what|which) (?:year|date|day|month)|year|wann|jahr|quand|année|cuándo|año|quando|anno|wanneer|jaar',
    ),
  ],
  [
    'number',
    words(
      'how many|how much|count|number of|wie viele?|anzahl|combien|nombre de|cuántos|cuántas|quanti|hoeveel|aantal',
    ),
  ],
  ['name', words('who|whom|wer|wem|wen|qui|quién|chi|wie is')],
  [
    'place',
    words(
      'where|place|city|town|country|state|province|jurisdiction|location|venue|law|wo|ort|stadt|land|recht|où|lieu|ville|pays|droit|dónde|lugar|ciudad|país|ley|dove|luogo|città|paese|waar|plaats',
    ),
  ],
];
/** A number and a unit are meant as a length of time where the examples show one. */
const LENGTH_EXAMPLE = /\b\d+ (?:day|week|month|year|tag|woche|monat|jahr|jour|mois|an|día|mes|año)/i;

/** Asked for as "the name of", "number of": words of asking say nothing about the sentence that answers. */
const ASKED_WITH = new Set(
  wordsOf(
    'name names number value text string field printed given document amount yyyy mm dd iso e g example format day date type full only unit title what which who whom whose when where how many much long',
  ),
);
const ASKED_WITH_WEIGHT = 0.15;
const MOST_TERMS = 24;

/** What a field asks: the words of its name, title and description, each as rare as it is, in general and here. */
export function questionOf(field: Field, { analysis, weight, words: { asked: meant } }: Prose): Question {
  const asked = new Map<string, Term>();
  const add = (text: string, share: number, isOther = false) => {
    for (const { word, term } of analysis.tokens(text)) {
      if (isSmall(word)) continue;
      const own = (ASKED_WITH.has(word) ? ASKED_WITH_WEIGHT : 1) * share * Math.max(0.2, weight(word));
      for (const stem of termsOf(word, [term], meant))
        if (own > (asked.get(stem)?.weight ?? 0)) asked.set(stem, { stem, weight: own, isOther });
    }
  };
  const title = typeof field.schema.title === 'string' ? field.schema.title : '';
  add(nameWords(field.name).join(' '), 1);
  add(title, 1);
  add(withoutExamples(field.description), 0.7);
  // What it is mostly called says it too, in other words.
  for (const label of field.concept?.labels.slice(0, 12) ?? []) add(label, 0.35, true);
  const terms = [...asked.values()].sort((left, right) => right.weight - left.weight);
  const isOfDocument = !endOf(field) && (asksOfDocument(field) || asksTitle(field));
  return {
    terms: terms.slice(0, MOST_TERMS),
    heads: headsOf(field, analysis, meant),
    answer: answerOf(field),
    isOfDocument,
    end: endOf(field),
  };
}

/** What a word is compared by: its meanings where the dictionary has it, else its stem. */
export const termsOf = (word: string, stems: readonly string[], meant: Dictionary): readonly string[] =>
  meant(fold(word)) ?? stems.slice(0, 1);

/** Schemas are mostly written in English, whatever the language of the document. */
const ENGLISH = analysisFor('en', '');
const isSmall = (word: string) => ENGLISH.read(word).meaningful.length === 0;

const MOST_HEADS = 3;

/** The first words of a description, or of a name without one, that are neither small nor words of asking. */
function headsOf({ name, description }: Field, analysis: Analysis, meant: Dictionary): Set<string> {
  const heads = new Set<string>();
  for (const word of wordsOf(description.slice(0, 200) || nameWords(name).join(' '))) {
    const isOther = ASKED_WITH.has(word) || word.length < 2 || isSmall(word);
    const stems = isOther ? [] : analysis.read(word).meaningful;
    if (stems.length > 0) for (const stem of termsOf(word, stems, meant)) heads.add(stem);
    else if (heads.size > 0) break;
    if (heads.size === MOST_HEADS) break;
  }
  return heads;
}

const withoutExamples = (text: string) =>
  text
    .replace(/\([^()]{0,60}\)|(?<!\p{L})['"‘“][^'"’”]{0,40}['"’”]/gu, ' ')
    .replace(/\be\.g\.[^.]{0,80}$/, ' ');

/** What documents are, how they are dated, and the words of asking for it: a date of nothing else is their own. */
const OF_DOCUMENT = new Set(
  wordsOf(
    'date dated day datum document contract agreement letter report statement certificate minutes lease policy order ' +
      'invoice receipt issue issued made signed concluded written created was is when it or and of the a on yyyy mm dd ' +
      'vertrag brief dokument vom ausgestellt fecha documento contrato carta acte lettre signature signing',
  ),
);

export const speaksOfDocument = (text: string): boolean =>
  wordsOf(text).some((word) => word.length > 3 && OF_DOCUMENT.has(word));

function asksOfDocument({ kind, name, description }: Field): boolean {
  if (kind !== 'date' && kind !== 'datetime') return false;
  const only = (words: string[]) => words.every((word) => OF_DOCUMENT.has(word));
  return only(nameWords(name)) && (only(wordsOf(description)) || wordsOf(description).length > 3);
}

/** Which end of a period a field asks for, if it asks for a day. */
export const endOf = ({ kind, name, description }: Field): PeriodEnd | undefined =>
  kind === 'date' || kind === 'datetime' ? endAsked(nameWords(name).join(' '), description) : undefined;

/** The form that a field's value takes in running text. */
export function answerOf({ kind, name, description }: Field): Answer {
  if (kind === 'date' || kind === 'datetime') return 'date';
  if (kind === 'money') return 'money';
  if (kind === 'percent') return 'percent';
  if (kind === 'number') return 'number';
  if (kind !== 'text') return 'kind';
  if (LENGTH_EXAMPLE.test(description) || /number and (?:a )?unit/i.test(description)) return 'duration';
  const asked = `${nameWords(name).join(' ')}`;
  // The question that a description asks says more than a name that was made of it.
  return (
    formAsked(/^.{0,60}(?!\S)/s.exec(description)?.[0] ?? '') ??
    formAsked(asked) ??
    formAsked(description) ??
    'name'
  );
}

function formAsked(text: string): Answer | undefined {
  let first: { at: number; answer: Answer } | undefined;
  for (const [answer, pattern] of ASKING) {
    const at = pattern.exec(text)?.index;
    if (at !== undefined && (!first || at < first.at)) first = { at, answer };
  }
  return first?.answer;
}
