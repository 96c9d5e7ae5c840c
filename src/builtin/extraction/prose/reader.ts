import { largest } from '#src/lib/extremes.ts';
import type { Candidate, FeatureName, Features } from '../evidence.ts';
import type { Field } from '../fields.ts';
import type { Locale } from '../read.ts';
import { type Answering, OPENING, type Passage, type Prose } from './index.ts';
import { beginsOrEnds, endSaid } from './period.ts';
import { type Answer, type Question, questionOf, speaksOfDocument } from './question.ts';
import { type TypedSpan, typedSpans } from './spans.ts';

const MOST_CANDIDATES = 40;
/** Below this a line is no sentence. */
const LEAST_FLOW = 0.25;
/** Words of asking, "date" or "name", weigh less. */
const LEAST_TELLING = 0.2;
/** Numbers and codes that forms are full of are looked for in whole sentences alone. */
const A_SENTENCE = 0.9;
/** Words away from where a word of the question is half as near. */
const HALF = 4;
/** So many words a comma is worth. */
const COMMA = 2;
/** From here on a text is at its end. */
const SIGNED = 0.97;

const KIND_OF: Partial<Record<Answer, FeatureName>> = {
  name: 'ofName',
  place: 'ofPlace',
};

function kindOf(answer: Answer, flow: number): Features {
  const name = KIND_OF[answer];
  return name ? { [name]: flow } : {};
}

/** What running text answers to a field: values of its form in the sentences that say most of what it asks. */
export function proseCandidates(field: Field, prose: Prose, locale: Locale, isTitle: boolean): Candidate[] {
  if (field.kind === 'boolean') return [];
  const question = questionOf(field, prose);
  const answers = prose.ask(question);
  const most = answers[0]?.coverage ?? 0;
  // What a document is called stands in its opening words, if in any sentence: "This Agreement of Lease is made …".
  const found = answers
    .filter(({ coverage, passage }) => passage.index < OPENING || (!isTitle && coverage > most * 0.2))
    .filter(({ passage }) => passage.flow > (question.answer === 'kind' ? A_SENTENCE : LEAST_FLOW))
    .flatMap((answering) => spansOf(field, question, answering, most, prose, locale, isTitle));
  return found.sort((left, right) => order(right) - order(left)).slice(0, MOST_CANDIDATES);
}

const order = ({ features: { prose = 0, near = 0, type = 0 } }: Candidate) => prose + near / 2 + type / 4;

function spansOf(
  field: Field,
  question: Question,
  answering: Answering,
  most: number,
  prose: Prose,
  locale: Locale,
  isTitle: boolean,
): Candidate[] {
  const { passage } = answering;
  const spans = typedSpans(question.answer, field, passage.text, locale, prose.isSmall);
  return spans.flatMap((span) => {
    const repeated = repetition(span, question, answering);
    // What is written small elsewhere is no name.
    if (repeated === 1 || (span.name > 0 && span.name < 1 && prose.properOf(span.text) === 0)) return [];
    // A company in the opening words is no title.
    if (isTitle && span.name === 1) return [];
    return [
      {
        value: span.value,
        spans: [{ page: passage.page, text: span.text }],
        sentence: passage.text,
        features: {
          ...featuresOf(span, spans, answering, 1 - repeated ** 2, most),
          ...(!question.isOfDocument && kindOf(question.answer, passage.flow)),
          ...aboutName(span, prose),
          ...definitionOf(span, question, answering, prose),
          ...senseOf(span, question, passage.text),
          ...headOf(span, spans, question, answering, prose.isSmall),
          ...(question.isOfDocument && tellsOfDocument(answering) && { opening: openingOf(passage) }),
          ...(question.isOfDocument && { inside: insideOf(passage) }),
        },
      },
    ];
  });
}

function featuresOf(
  span: TypedSpan,
  all: TypedSpan[],
  answering: Answering,
  fresh: number,
  most: number,
): Features {
  const { passage, coverage, heading, telling } = answering;
  const { near, close } = nearness(span, answering);
  return {
    prose: coverage * passage.flow,
    near: near * coverage * passage.flow,
    close: close * coverage * passage.flow,
    foremost: coverage >= most - 1e-9 ? passage.flow : 0,
    telling: telling * passage.flow,
    heading: heading * passage.flow,
    type: span.quality * fresh,
    alone: (1 / all.length) * passage.flow,
    position: 1 - passage.position,
  };
}

/** A date in a first sentence that speaks of no document may be any. */
const tellsOfDocument = ({ passage, coverage }: Answering) => coverage > 0 || speaksOfDocument(passage.text);

/** Sentences from the first one on count less and less. */
const openingOf = ({ index, flow }: Passage) => flow / (1 + index / 3);

/** A document is dated and named where it begins, and where it is signed. */
const insideOf = ({ index, position, flow }: Passage) =>
  index >= OPENING && position < SIGNED ? flow * Math.min(1, index / (4 * OPENING)) : 0;

function aboutName(span: TypedSpan, prose: Prose): Features {
  if (span.name === 0) return {};
  const isQuoted = prose.isQuoted(span.text);
  return { name: span.name, proper: prose.properOf(span.text), ...(isQuoted && { shortName: 1 }) };
}

function senseOf(span: TypedSpan, { end: asked, isOfDocument }: Question, text: string): Features {
  // What begins or ends on a day is something else than the document that says so.
  if (isOfDocument) return beginsOrEnds(text, span.start) ? { against: 1 } : {};
  const said = asked && endSaid(text, span.start);
  return said ? { [said === asked ? 'sense' : 'against']: 1 } : {};
}

const DEFINED_AS = /^[^.;()]{0,60}\([^()]{0,40}["“„«]([^"“”„«»()]{1,60})["”“»][^()]{0,40}\)/u;

/** "June 1, 2020 (the “Effective Date”)": the short name says what is asked for. */
function definitionOf(span: TypedSpan, { terms }: Question, { passage }: Answering, prose: Prose): Features {
  const short = DEFINED_AS.exec(passage.text.slice(span.end, span.end + 180))?.[1];
  if (short === undefined) return {};
  const said = prose.stemsOf(short).map(({ stem }) => stem);
  const own = said.filter((stem) =>
    terms.some((term) => term.stem === stem && term.weight > LEAST_TELLING),
  ).length;
  return own > 0 ? { definition: own / said.length } : {};
}

const within = (span: TypedSpan) => (place: { start: number; end: number }) =>
  place.start >= span.start && place.end <= span.end;

/** How much of a span only repeats the question: an answer says something new, but for what kind of thing it is. */
function repetition(span: TypedSpan, question: Question, { passage, matched }: Answering): number {
  const inside = matched.filter(within(span));
  const heads = inside.filter((each) => isHead(each, question)).length;
  const own = passage.stems.filter(within(span)).length;
  if (own === 0) return 0;
  return own === heads ? 1 : (inside.length - heads) / (own - heads);
}

type Matched = Answering['matched'][number];

const isHead = ({ term }: Matched, { terms, heads }: Question) => heads.has(terms[term]!.stem);

/** Words that may stand between a value and what it is: "Joan Lee is the chair", "30 days written notice". */
const AT_HEAD = 3;

function headOf(
  span: TypedSpan,
  all: TypedSpan[],
  question: Question,
  { passage, coverage, matched }: Answering,
  isSmall: (word: string) => boolean,
): Features {
  const { stems } = passage;
  const found = matched.filter((each) => isHead(each, question));
  const from = stems.findIndex(({ end }) => end > span.start);
  const to = stems.findLastIndex(({ start }) => start < span.end);
  // "40 masons and 12 carts": what is counted stands behind its own number.
  const isOthers = (head: number) =>
    question.answer === 'number' &&
    all.some((other) => other.end <= head && (span.start > head || other.start > span.end));
  const isAt = ({ start }: Matched) => {
    const at = stems.findIndex((stem) => stem.start === start);
    const between = at < from ? stems.slice(at + 1, from) : stems.slice(to + 1, Math.max(at, to + 1));
    if (between.length > AT_HEAD) return false;
    const told = between.filter((stem) => !isSmall(passage.text.slice(stem.start, stem.end)));
    return told.length <= 1 && !isOthers(start);
  };
  const most = largest(
    found.map(({ weight }) => weight),
    0,
  );
  const best = largest(
    found.filter(isAt).map(({ weight }) => weight),
    0,
  );
  return best > 0 ? { head: (best / most) * coverage * passage.flow } : {};
}

/**
 * Returns how near a span is to the words of the question: on average, and to the nearest one. A comma between them
 * parts more than a word does.
 */
function nearness(span: TypedSpan, { passage, matched }: Answering): { near: number; close: number } {
  const { stems, text } = passage;
  const commas = commasBefore(text);
  const indexOf = new Map(stems.map((stem, index) => [stem.start, index]));
  const from = stems.findIndex(({ end }) => end > span.start);
  const to = stems.findLastIndex(({ start }) => start < span.end);
  const best = new Map<string, { weight: number; near: number }>();
  for (const { stem, start, end, weight } of matched) {
    const at = indexOf.get(start) ?? 0;
    const apart = at < from ? from - at : at > to ? at - to : 0;
    const [left, right] = at < from ? [end, span.start] : [span.end, start];
    const parted = at < from || at > to ? commas[right]! - commas[left]! : 0;
    const near = 1 / (1 + (Math.max(0, apart - 1) + COMMA * Math.min(3, parted)) / HALF);
    if (near > (best.get(stem)?.near ?? 0)) best.set(stem, { weight, near });
  }
  const all = [...best.values()];
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return { near: 0, close: 0 };
  const most = largest(all.map(({ weight }) => weight));
  return {
    near: all.reduce((sum, { weight, near }) => sum + weight * near, 0) / total,
    close: largest(all.map(({ weight, near }) => (near * weight) / most)),
  };
}

/** Returns how many commas and the like stand before each place of a text. */
function commasBefore(text: string): number[] {
  const counts = [0];
  for (let at = 0; at < text.length; at++) counts.push(counts[at]! + (',;:()–—'.includes(text[at]!) ? 1 : 0));
  return counts;
}
