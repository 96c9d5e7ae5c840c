import { largest } from '#src/lib/extremes.ts';
import type { Candidate, FeatureName, Features } from '../evidence.ts';
import type { Field } from '../fields.ts';
import type { Locale } from '../read.ts';
import { namesDocument } from '../titles.ts';
import { OPENING, type Passage, type PassageMatch, type Prose } from './index.ts';
import { findStatedEnd, statesBeginOrEnd } from './period.ts';
import { type AnswerForm, buildQuestion, mentionsDocument, type Question } from './question.ts';
import { findTypedSpans, type TypedSpan } from './spans.ts';

const MAX_CANDIDATES = 40;
/**
 * Minimum score, from 0 to 1, for how much a passage reads like running text rather than a line of a form.
 */
const MIN_FLOW = 0.25;
/**
 * Minimum weight of a question word that a sentence must share. Words such as "date" or "name" weigh less and
 * do not count.
 */
const MIN_TERM_WEIGHT = 0.2;
/**
 * Minimum running-text score, from 0 to 1, when searching for numbers and codes. The limit is high because
 * forms contain many of both.
 */
const MIN_SENTENCE_FLOW = 0.9;
/** Distance in words at which the nearness score of a value and a question word is halved. */
const HALF_DISTANCE = 4;
/** Number of words that one comma counts for when the distance between two words is measured. */
const COMMA_WORDS = 2;
/** Relative position in the document, from 0 to 1, after which signatures are expected. */
const SIGNATURE_POSITION = 0.97;

const FEATURE_BY_FORM: Partial<Record<AnswerForm, FeatureName>> = {
  name: 'ofName',
  place: 'ofPlace',
};

function getFormFeature(answer: AnswerForm, flow: number): Features {
  const name = FEATURE_BY_FORM[answer];
  return name ? { [name]: flow } : {};
}

/** Returns values of the requested kind from the sentences that match the question best. */
export function findProseCandidates(
  field: Field,
  prose: Prose,
  locale: Locale,
  isTitle: boolean,
): Candidate[] {
  if (field.kind === 'boolean') return [];
  const question = buildQuestion(field, prose);
  const answers = prose.findPassages(question);
  const highest = answers[0]?.coverage ?? 0;
  // Document titles are searched for only in the first sentences, such as "This Agreement of Lease is made
  // …".
  const found = answers
    .filter(({ coverage, passage }) => passage.index < OPENING || (!isTitle && coverage > highest * 0.2))
    .filter(({ passage }) => passage.flow > (question.answer === 'kind' ? MIN_SENTENCE_FLOW : MIN_FLOW))
    .flatMap((answering) => listSpanCandidates(field, question, answering, highest, prose, locale, isTitle));
  return found.sort((left, right) => getOrder(right) - getOrder(left)).slice(0, MAX_CANDIDATES);
}

const getOrder = ({ features: { prose = 0, near = 0, type = 0 } }: Candidate) => prose + near / 2 + type / 4;

function listSpanCandidates(
  field: Field,
  question: Question,
  answering: PassageMatch,
  highest: number,
  prose: Prose,
  locale: Locale,
  isTitle: boolean,
): Candidate[] {
  const { passage } = answering;
  const spans = findTypedSpans(question.answer, field, passage.text, locale, prose.isStopWord);
  return spans.flatMap((span) => {
    const repeated = measureRepetition(span, question, answering);
    // A capitalised word that the document also writes in lower case is not a name.
    if (repeated === 1 || (span.name > 0 && span.name < 1 && prose.getProperShare(span.text) === 0))
      return [];
    // In the first sentences, a title is a name for a kind of document, as in "This Lease of Premises is …".
    if (isTitle && !namesDocument(span.text)) return [];
    return [
      {
        value: span.value,
        spans: [{ page: passage.page, text: span.text }],
        sentence: passage.text,
        features: {
          ...collectFeatures(span, spans, answering, 1 - repeated ** 2, highest),
          ...(!question.isAboutDocument && getFormFeature(question.answer, passage.flow)),
          ...getNameFeatures(span, prose),
          ...compareDefinition(span, question, answering, prose),
          ...comparePeriodEnd(span, question, passage.text),
          ...measureHead(span, spans, question, answering, prose.isStopWord),
          ...(question.isAboutDocument &&
            describesDocument(answering) && { opening: getOpeningWeight(passage) }),
          ...(question.isAboutDocument && { inside: getInsideWeight(passage) }),
        },
      },
    ];
  });
}

function collectFeatures(
  span: TypedSpan,
  all: TypedSpan[],
  answering: PassageMatch,
  fresh: number,
  highest: number,
): Features {
  const { passage, coverage, heading, matchedWeight } = answering;
  const { near, close } = measureNearness(span, answering);
  return {
    prose: coverage * passage.flow,
    near: near * coverage * passage.flow,
    close: close * coverage * passage.flow,
    bestMatch: coverage >= highest - 1e-9 ? passage.flow : 0,
    matchedWeight: matchedWeight * passage.flow,
    heading: heading * passage.flow,
    type: span.quality * fresh,
    alone: (1 / all.length) * passage.flow,
    position: 1 - passage.position,
  };
}

/**
 * Returns whether a sentence is about the document itself. Other sentences at the beginning may contain
 * unrelated dates.
 */
const describesDocument = ({ passage, coverage }: PassageMatch) =>
  coverage > 0 || mentionsDocument(passage.text);

/**
 * Returns how much a sentence counts as part of the document's beginning. The weight falls with each further
 * sentence.
 */
const getOpeningWeight = ({ index, flow }: Passage) => flow / (1 + index / 3);

/**
 * Returns the weight of a sentence in the middle of the document. The weight is low near the beginning and
 * the signatures, where documents state their own date and name.
 */
const getInsideWeight = ({ index, position, flow }: Passage) =>
  index >= OPENING && position < SIGNATURE_POSITION ? flow * Math.min(1, index / (4 * OPENING)) : 0;

function getNameFeatures(span: TypedSpan, prose: Prose): Features {
  if (span.name === 0) return {};
  const isQuoted = prose.isQuoted(span.text);
  return { name: span.name, proper: prose.getProperShare(span.text), ...(isQuoted && { shortName: 1 }) };
}

function comparePeriodEnd(
  span: TypedSpan,
  { end: askedEnd, isAboutDocument }: Question,
  text: string,
): Features {
  // A date on which something begins or ends is not the date of the document.
  if (isAboutDocument) return statesBeginOrEnd(text, span.start) ? { otherPeriodEnd: 1 } : {};
  const statedEnd = askedEnd && findStatedEnd(text, span.start);
  return statedEnd ? { [statedEnd === askedEnd ? 'periodEnd' : 'otherPeriodEnd']: 1 } : {};
}

const DEFINED_AS = /^[^.;()]{0,60}\([^()]{0,40}["“„«]([^"“”„«»()]{1,60})["”“»][^()]{0,40}\)/u;

/**
 * Compares a defined short name after a value with the question, as in: June 1, 2020 (the “Effective Date”).
 */
function compareDefinition(
  span: TypedSpan,
  { terms }: Question,
  { passage }: PassageMatch,
  prose: Prose,
): Features {
  const short = DEFINED_AS.exec(passage.text.slice(span.end, span.end + 180))?.[1];
  if (short === undefined) return {};
  const stems = prose.listStems(short).map(({ stem }) => stem);
  const own = stems.filter((stem) =>
    terms.some((term) => term.stem === stem && term.weight > MIN_TERM_WEIGHT),
  ).length;
  return own > 0 ? { definition: own / stems.length } : {};
}

const isWithin = (span: TypedSpan) => (place: { start: number; end: number }) =>
  place.start >= span.start && place.end <= span.end;

/**
 * Returns the share of a candidate value, from 0 to 1, that only repeats words of the question. Words for the
 * requested kind of thing do not count.
 */
function measureRepetition(span: TypedSpan, question: Question, { passage, matched }: PassageMatch): number {
  const inside = matched.filter(isWithin(span));
  const heads = inside.filter((each) => isHead(each, question)).length;
  const own = passage.stems.filter(isWithin(span)).length;
  if (own === 0) return 0;
  return own === heads ? 1 : (inside.length - heads) / (own - heads);
}

type Matched = PassageMatch['matched'][number];

const isHead = ({ term }: Matched, { terms, heads }: Question) => heads.has(terms[term]!.stem);

/**
 * Maximum number of words between a value and the word for its kind. In "Joan Lee is the chair", two words
 * separate the name from "chair".
 */
const MAX_HEAD_DISTANCE = 3;

function measureHead(
  span: TypedSpan,
  all: TypedSpan[],
  question: Question,
  { passage, coverage, matched }: PassageMatch,
  isStopWord: (word: string) => boolean,
): Features {
  const { stems } = passage;
  const found = matched.filter((each) => isHead(each, question));
  const from = stems.findIndex(({ end }) => end > span.start);
  const to = stems.findLastIndex(({ start }) => start < span.end);
  // A counted thing belongs to the number directly before it. In "40 masons and 12 carts", "carts" belongs to
  // 12.
  const isOthers = (head: number) =>
    question.answer === 'number' &&
    all.some((other) => other.end <= head && (span.start > head || other.start > span.end));
  const isAt = ({ start }: Matched) => {
    const at = stems.findIndex((stem) => stem.start === start);
    const between = at < from ? stems.slice(at + 1, from) : stems.slice(to + 1, Math.max(at, to + 1));
    if (between.length > MAX_HEAD_DISTANCE) return false;
    const contentStems = between.filter((stem) => !isStopWord(passage.text.slice(stem.start, stem.end)));
    return contentStems.length <= 1 && !isOthers(start);
  };
  const highest = largest(
    found.map(({ weight }) => weight),
    0,
  );
  const best = largest(
    found.filter(isAt).map(({ weight }) => weight),
    0,
  );
  return best > 0 ? { head: (best / highest) * coverage * passage.flow } : {};
}

/**
 * Returns the nearness of a value to the words of the question: `near` is the average and `close` the best
 * nearness.
 */
function measureNearness(
  span: TypedSpan,
  { passage, matched }: PassageMatch,
): { near: number; close: number } {
  const { stems, text } = passage;
  const commas = countCommasBefore(text);
  const indexOf = new Map(stems.map((stem, index) => [stem.start, index]));
  const from = stems.findIndex(({ end }) => end > span.start);
  const to = stems.findLastIndex(({ start }) => start < span.end);
  const best = new Map<string, { weight: number; near: number }>();
  for (const { stem, start, end, weight } of matched) {
    const at = indexOf.get(start) ?? 0;
    const apart = at < from ? from - at : at > to ? at - to : 0;
    const [left, right] = at < from ? [end, span.start] : [span.end, start];
    const parted = at < from || at > to ? commas[right]! - commas[left]! : 0;
    const near = 1 / (1 + (Math.max(0, apart - 1) + COMMA_WORDS * Math.min(3, parted)) / HALF_DISTANCE);
    if (near > (best.get(stem)?.near ?? 0)) best.set(stem, { weight, near });
  }
  const all = [...best.values()];
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return { near: 0, close: 0 };
  const highest = largest(all.map(({ weight }) => weight));
  return {
    near: all.reduce((sum, { weight, near }) => sum + weight * near, 0) / total,
    close: largest(all.map(({ weight, near }) => (near * weight) / highest)),
  };
}

/** Returns the number of commas, semicolons, brackets and similar marks before each position of a text. */
function countCommasBefore(text: string): number[] {
  const counts = [0];
  for (let at = 0; at < text.length; at++) counts.push(counts[at]! + (',;:()–—'.includes(text[at]!) ? 1 : 0));
  return counts;
}
