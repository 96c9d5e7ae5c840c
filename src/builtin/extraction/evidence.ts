import type { Box } from '#src/documents/document.ts';
import { FITTED } from './weights.ts';

/** The kinds of evidence. Each says of a candidate 0 (nothing) to 1 (all that this kind can say). */
export const FEATURES = [
  /** How well the words beside the value are what the field is called, however the two stand to each other. */
  'label',
  /** The label stands in the same piece of text, in the piece to the left, or above. */
  'labelInline',
  'labelBeside',
  'labelBelow',
  /** How exactly the value has the form of the field's kind. */
  'type',
  /** How much of what the field asks is said by the sentence of the value. */
  'prose',
  /** The value was read from a sentence as a name or as a place, which are harder to tell than times and numbers. */
  'ofName',
  'ofPlace',
  /** How near the value stands to the words of its sentence that the field asks for. */
  'near',
  /** How near the nearest of those words is. */
  'close',
  /** No other sentence says more of what the field asks. */
  'foremost',
  /** How much that is, whatever share of the question: a sentence that has four of its rare words is met by no accident. */
  'telling',
  /** What is asked for stands in the value or right at it: "Which fort?", "Fort Ross"; "How many guests?", "40 guests". */
  'head',
  /** The field asks about the document as a whole, and the value stands in a sentence in the middle of it. */
  'inside',
  /** The heading above the value asks or names what the field does. */
  'heading',
  /** The text itself defines the value: a name followed by its short name in brackets. */
  'definition',
  /** The value stands where a document says who made it: in its first lines or above its first address. */
  'letterhead',
  /** The value is a block of lines that look like an address. */
  'address',
  /** Other amounts of the document add up to this one. */
  'arithmetic',
  /** The value was read from a table, under the heading of its column. */
  'table',
  /** The value is a detail of the party that the field asks about. */
  'party',
  /** The value stands in the document's title: its first heading, its largest type. */
  'title',
  /** How early in the document the value stands. */
  'position',
  /** The words before a date say that it begins or ends a period, as the field asks, or the other of the two. */
  'sense',
  'against',
  /** The value stands in the opening words, and the field asks about the document as a whole. */
  'opening',
  /** The label is part of a sentence, and so likely none. */
  'running',
  /** The words of the value are never written small: a proper name. */
  'proper',
  /** The document uses the value as a short name for something else. */
  'shortName',
  /** How many places agree on the value. */
  'repeated',
  /** The value is the document's only one of its kind. */
  'alone',
  /** The value fits what the schema says of its form: format, pattern, examples. */
  'format',
  /** The value is a name: capitals, a legal form, a place. */
  'name',
  /** The value stands in a sentence beside others of its form, as members of a list do. */
  'series',
  /** The value is one of several that follow a label, in a row or as points below each other. */
  'listed',
  /** The value follows from the field's meaning without a label ("2 fatal" for a count of the fatal). */
  'meaning',
] as const;
export type FeatureName = (typeof FEATURES)[number];

/** How far each kind of evidence speaks for a candidate; 0 where it says nothing, 1 at most. */
export type Features = { [name in FeatureName]?: number };

/** Where a value is printed. */
export interface Span {
  /** 0-based. */
  page: number;
  text: string;
  /** Absent when the page has no measured words. */
  box?: Box;
}

/** A possible value of a field with all that speaks for it. */
export interface Candidate {
  value: unknown;
  spans: Span[];
  /** The words that name it on paper, for explanations. */
  label?: string;
  /** Or the sentence that it was read from. */
  sentence?: string;
  features: Features;
}

/** What evidence weighs, in logarithms of odds. */
export interface EvidenceModel {
  weights: Readonly<Record<FeatureName, number>>;
  /** How much it takes for one candidate alone to be as probable as that nothing is right. */
  nothing: number;
  /** The same of an item of a list. */
  notInList: number;
}

type Told = Pick<Candidate, 'features'>;

/** All that speaks for a candidate, weighed: the logarithm of its odds, but for what speaks against any. */
export const strength = ({ features }: Told, { weights }: EvidenceModel = FITTED): number =>
  FEATURES.reduce((sum, name) => sum + weights[name] * (features[name] ?? 0), 0);

/** How probably each of the candidates of one field is right; they share 1 with the case that none is. */
export function probabilities(candidates: readonly Told[], model: EvidenceModel): number[] {
  const odds = candidates.map((candidate) => Math.exp(strength(candidate, model) - model.nothing));
  const all = odds.reduce((sum, each) => sum + each, 1);
  return odds.map((each) => each / all);
}

/** How probably a candidate is one of the items of a list, where any number may be right. */
export function probabilityInList(candidate: Told, model: EvidenceModel): number {
  return 1 / (1 + Math.exp(model.notInList - strength(candidate, model)));
}
