import { largest } from '#src/lib/extremes.ts';
import { squash } from '#src/lib/text/words.ts';
import { canBeTerm, findClauseCandidates } from './agreements/clauses.ts';
import { findMakingDates } from './agreements/making.ts';
import {
  type Context,
  isRecognisedByForm,
  readLabelledValues,
  readUnlabelledValues,
  type Candidate as Scored,
  withFeatures,
} from './candidates.ts';
import { findDocumentDates } from './document-date.ts';
import {
  type Candidate,
  computeListProbability,
  computeProbabilities,
  type EvidenceModel,
  FEATURES,
  type Features,
} from './evidence.ts';
import type { Field } from './fields.ts';
import { canBeName } from './parties/names.ts';
import { type Parties, readParties } from './parties/parties.ts';
import { canNameParty, findPartyCandidates, toIssuerField } from './parties/party-fields.ts';
import { asksForParties, findNameListCandidates } from './prose/name-lists.ts';
import { measureFlow } from './prose/passages.ts';
import { getPeriodEnd, inferAnswerForm } from './prose/question.ts';
import { findProseCandidates } from './prose/reader.ts';
import { findTypedSpans } from './prose/spans.ts';
import { readCounts, readCurrencies, readLists } from './special.ts';
import { findSums, type Sums } from './tables/arithmetic.ts';
import { isPartOfTotal, readTotals } from './tables/totals.ts';
import { asksForTitle, findTitleCandidates } from './titles.ts';

/** A candidate with the probability that it is right. */
export interface ScoredCandidate extends Candidate {
  score: number;
}

const MAX_CANDIDATES = 60;
/**
 * If a bill has at least this many amounts with decimals, a number without decimals and without a currency is not
 * considered as a total.
 */
const MIN_AMOUNTS = 3;
/** Matches an amount with decimals or a currency. */
const HAS_MARK = /\d[.,]\d{2}(?!\d)|[^\d\s.,-]/;
/** Matches a number such as "00417", which is the number of a document and no amount. */
const LEADING_ZERO = /^0\d/;
/** Highest score that a value without a label can get. It gets this score if no other value has its form. */
const MAX_UNLABELLED_SCORE = 0.54;

/** Collects the evidence for the fields of one document. Data that fields share is read once. */
export class CandidateCollector {
  private readonly context: Context;
  private parties: Parties | undefined;
  private totals: ReturnType<typeof readTotals> | undefined;
  private sums: Sums | undefined;

  constructor(context: Context) {
    this.context = context;
  }

  /** Returns one candidate for each value that any reader found for the field. */
  collectForField(field: Field): Candidate[] {
    const { context } = this;
    const isTitle = asksForTitle(field);
    // After the first page, the label "Title" usually stands beside the name of a person, so it is ignored
    // there.
    const named = readLabelledValues(field, context).filter(
      (each) => (!isTitle || each.spans[0]?.page === 0) && canNameParty(field, each),
    );
    const found: Candidate[] = [
      ...convertToForm(field, named, context),
      ...readCounts(field, context).map((each) => withFeatures(each, { meaning: each.score })),
      ...readUnlabelledValues(field, context).map((each) =>
        withFeatures(each, { format: Math.min(1, each.score / MAX_UNLABELLED_SCORE) }),
      ),
      ...readCurrencies(field, context).map((each) => withFeatures(each, { meaning: each.score / 2 })),
      ...this.findDocumentDates(field),
      ...findMakingDates(field, context.prose, context.locale),
      ...findClauseCandidates(field, context.prose, context.locale),
      ...(isTitle ? findTitleCandidates(context.parsedPages) : []),
      ...findProseCandidates(field, context.prose, context.locale, isTitle),
      ...this.findPartyDetails(field),
      ...this.findTotals(field),
    ];
    for (const each of this.findIssuerDetails(field, found)) found.push(each);
    const possible = this.removeOtherAmounts(field, found).filter(({ value }) => canBeTerm(field, value));
    return sortByScore(mergeEqualValues(possible, context.model)).slice(0, MAX_CANDIDATES);
  }

  /** Returns one candidate for each value that may be an item of a list, if the items are single values. */
  collectForList(field: Field): Candidate[] {
    const { prose, parsedPages, locale } = this.context;
    // "Party" is also a word of sentences, so what follows it must look like a name.
    const lists = readLists(field, this.context).filter(
      ({ value }) => !asksForParties(field) || canBeName(String(value)),
    );
    const listed = lists.map((each) => {
      const { label = each.score, ...others } = each.features;
      // A value that is recognised by its form needs no label, so its score counts as evidence of the form.
      const format = isRecognisedByForm(field) ? { format: 1 } : { label };
      return { ...each, features: { ...others, ...format, listed: 1 } };
    });
    return mergeEqualValues(
      [...listed, ...findNameListCandidates(field, prose, locale, parsedPages)],
      this.context.model,
    ).slice(0, MAX_CANDIDATES);
  }

  /** Returns the date at the head of the document, unless the field asks when something begins or ends. */
  private findDocumentDates(field: Field): Candidate[] {
    return getPeriodEnd(field) ? [] : findDocumentDates(field, this.context);
  }

  private findPartyDetails(field: Field): Candidate[] {
    if (!field.role || !field.part) return [];
    this.parties ??= readParties(this.context);
    // Names and addresses have no exact form, so their form score is scaled up to a maximum of 1.
    return findPartyCandidates(field, this.parties).map((each) =>
      withFeatures(each, {
        type: Math.min(1, (each.features.type ?? MAX_UNLABELLED_SCORE) / MAX_UNLABELLED_SCORE),
      }),
    );
  }

  /** Returns details of the document's issuer, if the field names no party and no label was found. */
  private findIssuerDetails(field: Field, found: Candidate[]): Candidate[] {
    const maker = found.every(({ features }) => !features.label) ? toIssuerField(field) : undefined;
    return maker ? this.findPartyDetails(maker) : [];
  }

  private getSums(): Sums {
    this.sums ??= findSums(this.context);
    return this.sums;
  }

  /**
   * Removes the amounts that cannot be the total of a bill: its parts, cash, and numbers without decimals
   * where the bill prints decimals.
   */
  private removeOtherAmounts(field: Field, found: Candidate[]): Candidate[] {
    if (!field.amount) return found;
    const sums = this.getSums();
    const decimals = sums.amounts.filter(({ found: amount }) => amount.decimals > 0).length;
    const areBareAllowed = decimals < MIN_AMOUNTS;
    return found.filter((each) => {
      const printed = each.spans[0]?.text ?? '';
      const isBare = Number.isInteger(each.value) && !HAS_MARK.test(printed);
      if (isBare && (!areBareAllowed || LEADING_ZERO.test(printed))) return false;
      return !(field.amount === 'gross' && isPartOfTotal(each, sums));
    });
  }

  private findTotals(field: Field): Candidate[] {
    if (!field.amount) return [];
    this.totals ??= readTotals(this.context, this.getSums());
    const total: Scored | undefined = this.totals[field.amount];
    if (!total) return [];
    return [withFeatures(total, { label: Math.min(1, total.score), arithmetic: 1 })];
  }
}

/** Returns whether a text is a code such as "HX-2031". */
const isCode = (text: string) => /\d/.test(text) && !/\s/.test(text);
/**
 * Minimum label score at which a code such as "HX-2031" counts as a place. A weaker label usually belongs to
 * a number, as in "Certificate no.".
 */
const MIN_CODE_LABEL_SCORE = 0.8;
/**
 * Minimum `flow`, from 0 to 1, at which a text counts as part of a sentence and not as a name of several
 * words.
 */
const MIN_SENTENCE_FLOW = 0.35;
/** Factor for the form score of a text that lacks the form that the field asks for, such as a date. */
const FORMLESS_FACTOR = 0.3;

/**
 * Replaces labelled sentences by the length of time, place or date in them, if the field asks for one. A
 * sentence that does not contain the requested form keeps little of its score.
 */
function convertToForm(field: Field, found: Candidate[], { locale, prose }: Context): Candidate[] {
  const answer = field.kind === 'text' ? inferAnswerForm(field) : 'kind';
  if (answer === 'kind' || answer === 'name') return found;
  return found.flatMap((candidate) => {
    const text = String(candidate.value);
    const { type = 0, label = 0 } = candidate.features;
    const formless = { ...candidate, features: { ...candidate.features, type: type * FORMLESS_FACTOR } };
    // Rooms and shelves have codes as names, but only a specific label shows that the code is a place.
    if (answer === 'place' && isCode(text)) return label > MIN_CODE_LABEL_SCORE ? [formless] : [];
    if (answer === 'place' && measureFlow(text) < MIN_SENTENCE_FLOW) return [candidate];
    // A period may be a length of time or a time, as in "Period: March 2031".
    const typed = [answer, ...(answer === 'duration' ? (['when'] as const) : [])].flatMap((form) =>
      findTypedSpans(form, field, text, locale, prose.isStopWord),
    );
    const whole = typed.some((span) => span.text.length > text.length * 0.8);
    return [
      whole ? candidate : formless,
      ...typed.slice(0, 3).map((span) => ({
        ...candidate,
        value: span.value,
        spans: [{ page: candidate.spans[0]?.page ?? 0, text: span.text }],
        features: { ...candidate.features, type: span.quality, alone: 1 / typed.length },
      })),
    ];
  });
}

/**
 * Orders the candidates of a field by probability. Together with the case that none is right, the
 * probabilities add up to 1.
 */
export function rankByProbability(candidates: Candidate[], model: EvidenceModel): ScoredCandidate[] {
  const shares = computeProbabilities(candidates, model);
  return sortByScore(candidates.map((candidate, index) => ({ ...candidate, score: shares[index]! })));
}

/**
 * Sets the score of each candidate to the probability that it is an item of the list. The order stays the
 * same.
 */
export function scoreListItems(candidates: Candidate[], model: EvidenceModel): ScoredCandidate[] {
  return candidates.map((candidate) => ({ ...candidate, score: computeListProbability(candidate, model) }));
}

const sortByScore = (all: ScoredCandidate[]) => all.sort((left, right) => right.score - left.score);

/** Merges candidates of equal value, with the maximum of each kind of evidence. */
function mergeEqualValues(candidates: Candidate[], model: EvidenceModel): ScoredCandidate[] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key =
      typeof candidate.value === 'string'
        ? squash(candidate.value.replace(/^the /i, ''))
        : JSON.stringify(candidate.value);
    if (key) groups.set(key, [...(groups.get(key) ?? []), candidate]);
  }
  return [...groups.values()].map((group) => mergeGroup(group, model));
}

function mergeGroup(group: Candidate[], model: EvidenceModel): ScoredCandidate {
  const scored = scoreListItems(group, model).sort((left, right) => right.score - left.score);
  const places = new Set(
    group.map(({ spans: [span] }) => `${span?.page}:${span?.box?.y ?? ''}:${span?.text}`),
  );
  const features: Features = { repeated: 1 - 1 / places.size };
  for (const name of FEATURES) {
    const highest = largest(
      group.map((candidate) => candidate.features[name] ?? 0),
      0,
    );
    if (highest > 0) features[name] = Math.max(highest, features[name] ?? 0);
  }
  return { ...scored[0]!, features };
}
