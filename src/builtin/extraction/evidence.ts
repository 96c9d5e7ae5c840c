import type { Box } from '#src/documents/document.ts';
import { FITTED } from './weights.ts';

/** Kinds of evidence for a candidate. Each has a value from 0 (no evidence) to 1 (full evidence). */
export const FEATURES = [
  /** How well the label matches the name of the field, wherever the label is. */
  'label',
  /** The label is in the same text, to the left, or above. */
  'labelInline',
  'labelBeside',
  'labelBelow',
  /** How exactly the value has the form of the field's kind. */
  'type',
  /** How well the sentence of the value matches the question of the field. */
  'prose',
  /** The value was read from a sentence as a name or place. These are less certain than times and numbers. */
  'ofName',
  'ofPlace',
  /** How near the value is to the words of the question, on average. */
  'near',
  /** How near the value is to the nearest word of the question. */
  'close',
  /** No other sentence matches the question better. */
  'bestMatch',
  /**
   * Absolute weight of the matched words, whatever their share of the question. Four rare words in one
   * sentence are no coincidence.
   */
  'matchedWeight',
  /**
   * The kind of thing that is asked for is in or next to the value: "Fort Ross" for "Which fort?", "40
   * guests" for "How many guests?".
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
  /** How early in the document the value is. */
  'position',
  /**
   * The words before a date say that it begins or ends a period: the end that the field asks for, or the
   * other one.
   */
  'periodEnd',
  'otherPeriodEnd',
  /** The value is in the first sentences, and the field asks about the whole document. */
  'opening',
  /** The label is part of a sentence, and so probably no label. */
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
  /** The value looks like a name: it has capitals, a legal form, or is a place. */
  'name',
  /** The value is in a sentence with other values of its form, as items of a list are. */
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
  /** Label of the value in the document, for explanations. */
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
  /** The same threshold for an item of a list. */
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
