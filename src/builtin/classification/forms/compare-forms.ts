import type { WordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import type { ReadRule } from '../read-rules.ts';
import { FORMS, type Form, type FormStrengths } from './names.ts';

/** How much a rule means a form if it uses one of the form's hints. A name counts 1. */
const HINT = 0.3;
/** Similarity in meaning, from 0 to 1, from which another word counts as a name of the form. */
const SAME = 0.6;
/** A form is shared among the rules that name it, and none of it is left for rules that hardly name it. */
const NO_RULE = 0.1;
/** Forms that a document of this kind always shows, because its file format or its lines give it away. */
const CERTAIN: ReadonlySet<Form> = new Set(['code', 'subtitles', 'email', 'slides', 'table']);

interface FormWord {
  row: number;
  weight: number;
}

export interface FormEvidence {
  byRule: { form: number; missing: number }[];
  /** How much each rule names a form that the document does not show, from 0 to 1. */
  lacking: number[];
  /** How much the document shows a form that no rule names, although the rules name forms. From 0 to 1. */
  unnamed: number;
}

/** Compares the forms that the document shows with those that each rule names. */
export function compareForms(rules: ReadRule[], strengths: FormStrengths, vectors: WordVectors): FormEvidence {
  const byRule = rules.map(() => ({ form: 0, missing: 0 }));
  const shown = rules.map(() => 0);
  const named = rules.map(() => 0);
  let strongest = 0;
  let unnamed = 0;
  for (const form of Object.keys(FORMS) as Form[]) {
    const strength = strengths.get(form) ?? 0;
    const words = listWords(form, vectors);
    const naming = rules.map((rule) => measureNaming(rule, words, vectors));
    const all = naming.reduce((sum, value) => sum + value ** 2, 0);
    strongest = Math.max(strongest, strength);
    unnamed = Math.max(unnamed, strength * (1 - Math.max(0, ...naming)));
    for (const [index, value] of naming.entries()) {
      const own = byRule[index]!;
      own.form = Math.max(own.form, (strength * value ** 2) / (all + NO_RULE));
      if (CERTAIN.has(form)) own.missing = Math.max(own.missing, (1 - strength) * value);
      shown[index] = Math.max(shown[index]!, strength * value);
      named[index] = Math.max(named[index]!, value);
    }
  }
  for (const [index, own] of byRule.entries()) {
    own.missing = Math.max(own.missing, named[index]! * (strongest - shown[index]!));
  }
  const mean = named.reduce((sum, value) => sum + value, 0) / Math.max(1, named.length);
  const lacking = named.map((value, index) => value - shown[index]!);
  return { byRule, lacking, unnamed: unnamed * mean };
}

function listWords(form: Form, vectors: WordVectors): FormWord[] {
  const { names, hints } = FORMS[form];
  const read = (list: string, weight: number) =>
    list.split(' ').flatMap((word) => {
      const meaning = vectors.findMeaning(word, 'en');
      return meaning ? [{ row: meaning.vector, weight }] : [];
    });
  return [...read(names, 1), ...read(hints, HINT)];
}

/** Returns how much a rule means a form, from 0 to 1. The words of its type and its first words count most. */
function measureNaming({ ruleTerms }: ReadRule, words: FormWord[], vectors: WordVectors): number {
  let missing = 1;
  for (const { row, weight } of words) {
    let best = 0;
    for (const { meaning, emphasis } of ruleTerms) {
      if (!meaning) continue;
      const likeness = meaning.vector === row ? 1 : vectors.likeness(meaning.vector, row);
      const value = Math.max(0, (likeness - SAME) / (1 - SAME)) * meaning.certainty * emphasis;
      best = Math.max(best, value);
    }
    missing *= 1 - Math.min(1, best * weight);
  }
  return 1 - missing;
}
