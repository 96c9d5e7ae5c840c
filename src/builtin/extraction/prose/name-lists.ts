import type { Page } from '#src/documents/document.ts';
import { largest } from '#src/lib/extremes.ts';
import { countOccurrences, splitIdentifier, squash } from '#src/lib/text/words.ts';
import { findSignatories } from '../agreements/signatures.ts';
import type { Candidate } from '../evidence.ts';
import type { Field } from '../fields.ts';
import { hasLegalForm, isLegalForm } from '../parties/legal-forms.ts';
import { isPartOfDocument } from '../parties/name-words.ts';
import type { Locale } from '../read.ts';
import type { Passage, Prose } from './index.ts';
import type { Name } from './names.ts';
import { buildQuestion } from './question.ts';
import { findNamesExceptDates } from './spans.ts';

const FIRST_PASSAGES = 12;
/**
 * Minimum share of a name's words that are never written in lower case. Below it, the name is a term of the
 * document.
 */
const MIN_PROPER_SHARE = 0.35;
/** Matches a defined short name in quotes and brackets. */
const DEFINITION = /\([^()]{0,60}["“„«][^"“”„«»()]{1,60}["”“»][^()]{0,40}\)/gu;
const MAX_NAMES = 60;
/** Minimum `flow`, from 0 to 1, of a sentence that names persons. Headings have capitals for other reasons. */
const MIN_FLOW = 0.25;
/** Returns the weight of a name in a list of names. Company names count more than other capitalised words. */
const weighName = (name: Name) => name.quality * (0.3 + 0.7 * name.legal);

/** Matches fields that ask for the parties to a document. */
const ASKS_PARTIES =
  /(?<!\p{L})(?:part(?:y|ies|ei|eien|ie|is|e|es|i|ij|ijen)|signator\w{2,4}|signe[rd]s?|promise|agree\w{0,4}|contract\w{0,6}|unterzeichne\w{0,3}|signataires?|firmantes?|firmatari)(?!\p{L})/iu;
export const asksForParties = ({ name, description }: Field) =>
  ASKS_PARTIES.test(`${splitIdentifier(name).join(' ')} ${description}`);

/** Returns the names that a sentence lists, as in: between A Ltd (the “Seller”), B GmbH and C. */
export function findNameListCandidates(
  field: Field,
  prose: Prose,
  locale: Locale,
  pages: readonly Page[],
): Candidate[] {
  const question = buildQuestion(field, prose);
  if (field.kind !== 'text' || question.answer !== 'name') return [];
  const answers = new Map(prose.findPassages(question).map((answering) => [answering.passage, answering]));
  const passages = new Set([...prose.passages.slice(0, FIRST_PASSAGES), ...answers.keys()]);
  const text = squash(prose.passages.map((passage) => passage.text).join(' '));
  const isWrittenSmall = (word: string) => prose.getProperShare(word) === 0;
  const found = [...passages].flatMap((passage) => {
    const names = findNamesExceptDates(passage.text, locale, prose.isStopWord).filter(
      (name) =>
        name.legal > 0 ||
        (passage.flow > MIN_FLOW &&
          !prose.isTerm(name.value) &&
          prose.getProperShare(name.value) > MIN_PROPER_SHARE &&
          !isPartOfDocument(name.value, isWrittenSmall)),
    );
    const { coverage = 0 } = answers.get(passage) ?? {};
    return names
      .filter(({ quality }) => quality >= 0.5)
      .map((name) => toListCandidate(name, names, passage, coverage, text, prose));
  });
  const listed = found.slice(0, MAX_NAMES);
  return removeOtherForms(
    asksForParties(field) ? [...listed, ...findPartySignatories(listed, pages)] : listed,
  );
}

/**
 * Returns the parties that signed a document. If its opening names two parties or more, other persons who signed
 * did so for a company.
 */
function findPartySignatories(listed: Candidate[], pages: readonly Page[]): Candidate[] {
  const parties = new Set(listed.filter(({ features }) => features.party).map(getKey));
  return findSignatories(pages).filter(
    (each) => parties.size < 2 || parties.has(getKey(each)) || hasLegalForm(String(each.value)),
  );
}

const getKey = ({ value }: Candidate) => squash(String(value));

/**
 * Removes names that contain the full name of a listed company and further words, such as "Ash Works, Inc.
 * Employee". Of "Lee Consulting Inc." and "Consulting Inc.", the longer name stays.
 */
function removeOtherForms(found: Candidate[]): Candidate[] {
  const companies = found.filter(({ value }) => hasLegalForm(String(value)));
  const whole = new Set(companies.filter(({ value }) => countNameWords(String(value)) > 1).map(getKey));
  const hasFurtherWords = (key: string) =>
    [...whole].some((company) => company !== key && key.startsWith(company));
  const complete = found.filter((each) => !hasFurtherWords(getKey(each)));
  const keys = new Set(complete.map(getKey));
  return complete.filter((each) => {
    const name = String(each.value);
    const isShort = hasLegalForm(name) && countNameWords(name) < 2;
    return !(isShort && [...keys].some((other) => other !== getKey(each) && other.endsWith(getKey(each))));
  });
}

/** Returns the number of words of a company's name, without its legal form. */
const countNameWords = (name: string) => name.split(' ').filter((word) => !isLegalForm(word)).length;

function toListCandidate(
  name: Name,
  all: Name[],
  passage: Passage,
  coverage: number,
  text: string,
  prose: Prose,
): Candidate {
  const isDefined = findDefinedNames(passage.text, all).has(name);
  const others = all.filter(
    (other) => other !== name && (other.end <= name.start || other.start >= name.end),
  );
  const company = largest(others.map(weighName), 0);
  return {
    value: name.value,
    spans: [{ page: passage.page, text: name.text }],
    sentence: passage.text,
    features: {
      prose: coverage * passage.flow,
      name: name.legal > 0 ? 1 : /\s/.test(name.value) ? 0.5 : 0.25,
      ...(isDefined && { definition: 1 }),
      ...(isContracting(name, all, passage) && { party: 1 }),
      series: Math.min(1, company),
      position: 1 - passage.position,
      type: name.quality,
      proper: prose.getProperShare(name.value),
      opening: passage.flow / (1 + passage.index / 3),
      ...(prose.isQuoted(name.value) && { shortName: 1 }),
      repeated: Math.min(1, (countOccurrences(text, squash(name.value)) - 1) / 3),
    },
  };
}

/** Matches the word that introduces the parties of an agreement. */
const BETWEEN = /(?<!\p{L})(?:between|among|zwischen|entre|tra|fra|tussen)(?!\p{L})/iu;
const AND = /^(?:and|und|et|y|e|ed|en|by|among)$/;

/** Returns whether a name is one of those in "between A and B" at the beginning of a document. */
function isContracting(name: Name, all: Name[], { text, index }: Passage): boolean {
  const between = index < FIRST_PASSAGES ? BETWEEN.exec(text) : null;
  if (!between || name.start < between.index) return false;
  const isFirst = all.every(({ start }) => start < between.index || start >= name.start);
  return (isFirst || AND.test(name.before)) && /\s/.test(name.value);
}

/**
 * Returns the names for which the text defines short names. Of the names since the previous definition, this
 * is the first company, or the first name if none is a company.
 */
function findDefinedNames(text: string, names: Name[]): Set<Name> {
  let from = 0;
  const defined = new Set<Name>();
  for (const match of text.matchAll(DEFINITION)) {
    const since = names.filter(({ start, end }) => start >= from && end <= match.index);
    const named = since.find(({ legal }) => legal > 0) ?? since[0];
    if (named) defined.add(named);
    from = match.index + match[0].length;
  }
  return defined;
}
