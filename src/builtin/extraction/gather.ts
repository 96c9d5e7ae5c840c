import { largest } from '#src/lib/extremes.ts';
import { squash } from '#src/lib/text/words.ts';
import {
  type Context,
  labelled,
  type Candidate as Scored,
  said,
  unlabelled,
  unlabelledKind,
} from './candidates.ts';
import { documentDates } from './document-date.ts';
import {
  type Candidate,
  type EvidenceModel,
  FEATURES,
  type Features,
  probabilities,
  probabilityInList,
} from './evidence.ts';
import type { Field } from './fields.ts';
import { type Parties, readParties } from './parties/parties.ts';
import { makersDetail, mayName, partyCandidates } from './parties/party-fields.ts';
import { nameListCandidates } from './prose/name-lists.ts';
import { flowOf } from './prose/passages.ts';
import { answerOf, endOf } from './prose/question.ts';
import { proseCandidates } from './prose/reader.ts';
import { typedSpans } from './prose/spans.ts';
import { readCounts, readCurrencies, readLists } from './special.ts';
import { readTotals } from './tables/totals.ts';
import { asksTitle, titleCandidates } from './titles.ts';

/** A candidate and how probably it is right. */
export interface Judged extends Candidate {
  score: number;
}

const MOST_CANDIDATES = 60;
/** What the reader of unlabelled values scores one that is the only one of its form. */
const SUREST = 0.54;

/** Everything that speaks for values of the fields of one document; what fields share is read once. */
export class Gathering {
  private readonly context: Context;
  private parties: Parties | undefined;
  private totals: ReturnType<typeof readTotals> | undefined;

  constructor(context: Context) {
    this.context = context;
  }

  /** One candidate per value that a field may have, from every reader. */
  single(field: Field): Candidate[] {
    const { context } = this;
    const isTitle = asksTitle(field);
    // A label "Title" behind the first page stands at somebody's name.
    const named = labelled(field, context).filter(
      (each) => (!isTitle || each.spans[0]?.page === 0) && mayName(field, each),
    );
    const found: Candidate[] = [
      ...inForm(field, named, context),
      ...readCounts(field, context).map((each) => said(each, { meaning: each.score })),
      ...unlabelled(field, context).map((each) => said(each, { format: Math.min(1, each.score / SUREST) })),
      ...readCurrencies(field, context).map((each) => said(each, { meaning: each.score / 2 })),
      ...this.ownDates(field),
      ...(isTitle ? titleCandidates(context.parsed) : []),
      ...proseCandidates(field, context.prose, context.locale, isTitle),
      ...this.fromParties(field),
      ...this.fromTotals(field),
    ];
    for (const each of this.ofMaker(field, found)) found.push(each);
    return ordered(merged(found, context.model)).slice(0, MOST_CANDIDATES);
  }

  /** One candidate per value that may be an item of a list of single values. */
  list(field: Field): Candidate[] {
    const listed = readLists(field, this.context).map((each) => {
      const { label = each.score, ...others } = each.features;
      // What is recognised by its form alone needs no label.
      const format = unlabelledKind(field) ? { format: 1 } : { label };
      return { ...each, features: { ...others, ...format, listed: 1 } };
    });
    return merged(
      [...listed, ...nameListCandidates(field, this.context.prose, this.context.locale)],
      this.context.model,
    ).slice(0, MOST_CANDIDATES);
  }

  /** A document's day stands at its head; fields that ask when something begins or ends ask for another. */
  private ownDates(field: Field): Candidate[] {
    if (endOf(field)) return [];
    return documentDates(field, this.context).map((each) => {
      const { meaning = 0, position = 0 } = each.features;
      return said(each, { meaning: meaning * (0.6 + 0.4 * position) });
    });
  }

  private fromParties(field: Field): Candidate[] {
    if (!field.role || !field.part) return [];
    this.parties ??= readParties(this.context);
    // A name or an address has no form of its own that could be more or less exact.
    return partyCandidates(field, this.parties).map((each) =>
      said(each, { type: Math.min(1, (each.features.type ?? SUREST) / SUREST) }),
    );
  }

  /** A detail that no role and no label gives may be that of who made the document. */
  private ofMaker(field: Field, found: Candidate[]): Candidate[] {
    const maker = found.every(({ features }) => !features.label) ? makersDetail(field) : undefined;
    return maker ? this.fromParties(maker) : [];
  }

  private fromTotals(field: Field): Candidate[] {
    if (!field.amount) return [];
    this.totals ??= readTotals(this.context);
    const total: Scored | undefined = this.totals[field.amount];
    if (!total) return [];
    return [said(total, { label: Math.min(1, total.score), arithmetic: 1 })];
  }
}

/** "HX-2031" */
const isCode = (text: string) => /\d/.test(text) && !/\s/.test(text);
/** A label that says less is rather that of a number: "Certificate no." for "Place of the certificate". */
const PLACE_OF_CODE = 0.8;
/** From this on a text is rather part of a sentence than a name of several words. */
const A_SENTENCE = 0.35;
/** Share of what the form of a text says that is left when it has not the form that is asked for. */
const FORMLESS = 0.3;

/**
 * What stands at a label may be a whole sentence: where the field asks for a length of time, a place or a day, that is
 * the value, and a text without one is hardly any.
 */
function inForm(field: Field, found: Candidate[], { locale, prose }: Context): Candidate[] {
  const answer = field.kind === 'text' ? answerOf(field) : 'kind';
  if (answer === 'kind' || answer === 'name') return found;
  return found.flatMap((candidate) => {
    const text = String(candidate.value);
    const { type = 0, label = 0 } = candidate.features;
    const formless = { ...candidate, features: { ...candidate.features, type: type * FORMLESS } };
    // Rooms and shelves have codes for names, where the label says no more than that it is the place.
    if (answer === 'place' && isCode(text)) return label > PLACE_OF_CODE ? [formless] : [];
    if (answer === 'place' && flowOf(text) < A_SENTENCE) return [candidate];
    // A period is a length of time or a time itself: "Period: March 2031".
    const typed = [answer, ...(answer === 'duration' ? (['when'] as const) : [])].flatMap((form) =>
      typedSpans(form, field, text, locale, prose.isSmall),
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

/** The candidates of a field by how probably they are right; they share 1 with the case that none is. */
export function judged(candidates: Candidate[], model: EvidenceModel): Judged[] {
  const shares = probabilities(candidates, model);
  return ordered(candidates.map((candidate, index) => ({ ...candidate, score: shares[index]! })));
}

/** The items of a list by how probably each is one. */
export function judgedItems(candidates: Candidate[], model: EvidenceModel): Judged[] {
  return candidates.map((candidate) => ({ ...candidate, score: probabilityInList(candidate, model) }));
}

const ordered = (all: Judged[]) => all.sort((left, right) => right.score - left.score);

/** Candidates of the same value as one, with the best that each kind of evidence says. */
function merged(candidates: Candidate[], model: EvidenceModel): Judged[] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key =
      typeof candidate.value === 'string' ? squash(candidate.value) : JSON.stringify(candidate.value);
    if (key) groups.set(key, [...(groups.get(key) ?? []), candidate]);
  }
  return [...groups.values()].map((group) => together(group, model));
}

function together(group: Candidate[], model: EvidenceModel): Judged {
  const scored = judgedItems(group, model).sort((left, right) => right.score - left.score);
  const places = new Set(
    group.map(({ spans: [span] }) => `${span?.page}:${span?.box?.y ?? ''}:${span?.text}`),
  );
  const features: Features = { repeated: 1 - 1 / places.size };
  for (const name of FEATURES) {
    const most = largest(
      group.map((candidate) => candidate.features[name] ?? 0),
      0,
    );
    if (most > 0) features[name] = Math.max(most, features[name] ?? 0);
  }
  return { ...scored[0]!, features };
}
