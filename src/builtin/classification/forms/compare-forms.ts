import type { WordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import type { ReadRule } from '../read-rules.ts';
import { FORMS, type Form, type FormStrengths } from './names.ts';

/** How much a rule means a form if it uses one of the form's hints. A name counts 1. */
const HINT = 0.3;
/** Similarity in meaning, from 0 to 1, above which another word counts as a name of the form. */
const UNRELATED = 0.6;
/** A form is divided among the rules that name it. This share is left over, so that a weak naming gets little. */
const NO_RULE = 0.1;
/** Forms that a document always shows if it has them, by its file format or its lines. */
const CERTAIN: ReadonlySet<Form> = new Set(['code', 'subtitles', 'email', 'slides', 'table']);

export interface FormEvidence {
  byRule: {
    /** How much the document shows a form that this rule names more than other rules, from 0 to 1. */
    form: number;
    /** How much this rule names a form that the document lacks. Only forms that show for certain count if it shows no other form. From 0 to 1. */
    missing: number;
  }[];
  /** Form for which each rule has the most evidence, if there is any. */
  shown: (Form | undefined)[];
  /**
   * How much the forms that the rules name separate the rules, from 0 to 1. High for kinds of documents. Low for topics,
   * which name no forms, and for rules that all name the same form, such as kinds of contracts.
   */
  separating: number;
  /** How much the document shows a form that no rule names, although the rules name forms. From 0 to 1. */
  unnamed: number;
}

/** Compares the forms that the document shows with those that each rule names. */
export function compareForms(
  rules: ReadRule[],
  strengths: FormStrengths,
  vectors: WordVectors,
): FormEvidence {
  const measureNaming = createNamingMeasure(vectors);
  const byRule = rules.map(() => ({ form: 0, missing: 0 }));
  const shown = rules.map((): Form | undefined => undefined);
  const present = rules.map(() => 0);
  const named = rules.map(() => 0);
  const separated = rules.map(() => 0);
  let strongest = 0;
  let unnamed = 0;
  for (const form of Object.keys(FORMS) as Form[]) {
    const strength = strengths.get(form) ?? 0;
    const naming = rules.map((rule) => measureNaming(rule, form));
    const all = naming.reduce((sum, value) => sum + value ** 2, 0);
    const total = naming.reduce((sum, value) => sum + value, 0);
    strongest = Math.max(strongest, strength);
    unnamed = Math.max(unnamed, strength * (1 - naming.reduce((most, value) => Math.max(most, value), 0)));
    for (const [index, value] of naming.entries()) {
      const own = byRule[index]!;
      const share = (strength * value ** 2) / (all + NO_RULE);
      if (share > own.form) shown[index] = form;
      own.form = Math.max(own.form, share);
      if (CERTAIN.has(form)) own.missing = Math.max(own.missing, (1 - strength) * value);
      present[index] = Math.max(present[index]!, strength * value);
      named[index] = Math.max(named[index]!, value);
      const others = rules.length > 1 ? (total - value) / (rules.length - 1) : 0;
      separated[index] = Math.max(separated[index]!, value * (1 - others));
    }
  }
  for (const [index, own] of byRule.entries()) {
    own.missing = Math.max(own.missing, named[index]! * (strongest - present[index]!));
  }
  return {
    byRule,
    shown,
    separating: sharpen(computeMean(separated)),
    unnamed: unnamed * sharpen(computeMean(named)),
  };
}

const computeMean = (values: number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/**
 * Brings low shares nearer to 0 and high shares nearer to 1. Words of topics resemble names of forms now and then, so a
 * low share is usually accidental.
 */
const sharpen = (share: number) => share * share * (3 - 2 * share);

/**
 * Returns a function that measures how much a rule names a form, from 0 to 1. The words of the rule's type and its
 * first words count most.
 */
function createNamingMeasure(vectors: WordVectors): (rule: ReadRule, form: Form) => number {
  const known = new Map<number, Map<number, number>>();
  const words = new Map((Object.keys(FORMS) as Form[]).map((form) => [form, listWords(form, vectors)]));
  const compare = (row: number, other: number) => {
    const values = known.get(row) ?? new Map<number, number>();
    known.set(row, values);
    let value = values.get(other);
    if (value === undefined) {
      const likeness = row === other ? 1 : vectors.likeness(row, other);
      value = Math.max(0, (likeness - UNRELATED) / (1 - UNRELATED));
      values.set(other, value);
    }
    return value;
  };
  return ({ ruleTerms }, form) => {
    let unnamed = 1;
    for (const { row, weight } of words.get(form)!) {
      let best = 0;
      for (const { meaning, emphasis } of ruleTerms) {
        if (meaning) best = Math.max(best, compare(row, meaning.vector) * meaning.certainty * emphasis);
      }
      unnamed *= 1 - Math.min(1, best * weight);
    }
    return 1 - unnamed;
  };
}

function listWords(form: Form, vectors: WordVectors): { row: number; weight: number }[] {
  const read = (list: string, weight: number) =>
    list.split(' ').flatMap((word) => {
      const meaning = vectors.findMeaning(word, 'en');
      return meaning ? [{ row: meaning.vector, weight }] : [];
    });
  return [...read(FORMS[form].names, 1), ...read(FORMS[form].hints, HINT)];
}
