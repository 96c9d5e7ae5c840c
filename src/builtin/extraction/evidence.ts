import type { Box } from '#src/documents/document.ts';
import { FITTED } from './weights.ts';

/** Kinds of evidence for a candidate. Each has a value from 0 (no evidence) to 1 (full evidence). */
export const FEATURES = [
  /** How well the label matches the name of the field, wherever the label is. */
  'label',
  /** The label is in the same text as the value, to the left of it, or above it. */
  'labelInline',
  'labelBeside',
  'labelBelow',
  /** How exactly the value has the form of the field's kind. */
  'type',
  /** How well the sentence that contains the value matches the words of the field's name and description. */
  'prose',
  /**
   * The value was read from a sentence as a name or place. Names and places are less certain than times and
   * numbers.
   */
  'ofName',
  'ofPlace',
  /** How near the value is, on average, to the words in its sentence that match the field. */
  'near',
  /** How near the value is to the closest word in its sentence that matches the field. */
  'close',
  /** No other sentence matches the field better than the sentence that contains the value. */
  'bestMatch',
  /**
   * Total weight of the words that match the field, whatever their share of the field's words. Several rare
   * words in one sentence are no coincidence.
   */
  'matchedWeight',
  /**
   * The value is near the word for its kind. In "Joan Lee is the chair", the name is near the word "chair".
   */
  'head',
  /** The field asks about the whole document, and the value is in a sentence in the middle of it. */
  'inside',
  /** The heading above the value matches the field. */
  'heading',
  /** The text defines the value: a name followed by its short name in brackets. */
  'definition',
  /** The value is where documents name their issuer: in the first lines or above the first address. */
  'letterhead',
  /** The value is a block of lines that looks like an address. */
  'address',
  /** Other amounts of the document add up to the value. */
  'arithmetic',
  /** The value was read from a table, below the heading of its column. */
  'table',
  /** The value is a detail of the party that the field asks about. */
  'party',
  /** The value is in the title of the document: its first heading, or its largest type. */
  'title',
  /** How early in the document the value is, from 0 for the last sentence to 1 for the first sentence. */
  'position',
  /**
   * The words before a date say which end of a period it is: the end that the field asks for (`periodEnd`) or
   * another one (`otherPeriodEnd`).
   */
  'periodEnd',
  'otherPeriodEnd',
  /** The value is in the first sentences, and the field asks about the whole document. */
  'opening',
  /** The label is part of a sentence, so it is probably not a label. */
  'running',
  /** The document never writes the words of the value in lower case, so it is a proper name. */
  'proper',
  /** The document uses the value as a short name of something else. */
  'shortName',
  /** How many places of the document contain the value. */
  'repeated',
  /** The value is the only one of its kind in the document. */
  'alone',
  /** The value fits the format, pattern or examples of the schema. */
  'format',
  /**
   * The value looks like a name, because it has capital letters or a legal form, or because it is a place.
   */
  'name',
  /** The value is in a sentence that contains other values of the same form, like the items of a list. */
  'series',
  /** The value is one of several that follow a label, in a row or as bullet points. */
  'listed',
  /**
   * The value follows from the meaning of the field without a label, as "2 fatal" does for a number of
   * fatalities.
   */
  'meaning',
] as const;
export type FeatureName = (typeof FEATURES)[number];

/** Evidence for a candidate by kind, from 0 to 1. A missing kind counts as 0. */
export type Features = { [name in FeatureName]?: number };

/** Place where a value is printed. */
export interface Span {
  /** Index of the page, from 0. */
  page: number;
  text: string;
  /** Bounding box. Absent if the page has no measured words. */
  box?: Box;
}

/** Possible value of a field, with the evidence for it. */
export interface Candidate {
  value: unknown;
  spans: Span[];
  /** Label of the value in the document, which explanations of the result quote. */
  label?: string;
  /** Sentence from which the value was read, if it has no label. */
  sentence?: string;
  features: Features;
}

/** Weights of the kinds of evidence, in log odds. */
export interface EvidenceModel {
  weights: Readonly<Record<FeatureName, number>>;
  /** Threshold in log odds at which a single candidate is as probable as no value at all. */
  noValueThreshold: number;
  /** Threshold in log odds at which a candidate for a list is as probably an item as not. */
  listThreshold: number;
}

type Weighable = Pick<Candidate, 'features'>;

/** Returns the weighted sum of a candidate's evidence, in log odds before the threshold is subtracted. */
export const computeStrength = ({ features }: Weighable, { weights }: EvidenceModel = FITTED): number =>
  FEATURES.reduce((sum, name) => sum + weights[name] * (features[name] ?? 0), 0);

/**
 * Returns the probability that each candidate of one field is right. Together with the case that none is
 * right, they add up to 1.
 */
export function computeProbabilities(candidates: readonly Weighable[], model: EvidenceModel): number[] {
  const odds = candidates.map((candidate) =>
    Math.exp(computeStrength(candidate, model) - model.noValueThreshold),
  );
  const all = odds.reduce((sum, each) => sum + each, 1);
  return odds.map((each) => each / all);
}

/**
 * Returns the probability that a candidate is an item of a list, in which any number of candidates may be
 * right.
 */
export function computeListProbability(candidate: Weighable, model: EvidenceModel): number {
  return 1 / (1 + Math.exp(model.listThreshold - computeStrength(candidate, model)));
}
