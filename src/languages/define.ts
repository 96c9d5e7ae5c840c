/** What Sluice knows of a language. Lists of words are separated by spaces. */
export interface LanguageDefinition {
  /** Its commonest words that neighbours do not share, or that they share at another frequency. */
  commonWords?: string;
  /** Letters and endings that tell it from its neighbours. Each occurrence counts as a part of a common word. */
  letters?: RegExp;
  /** Its script, with the flag `g`, if the script alone shows the language. */
  script?: RegExp;
  /** It shares its common words with a larger neighbour. A doubtful text is taken for the neighbour's. */
  isSmaller?: boolean;
  /** One of its common words is not enough to show it: it is also a word or a name in other languages. */
  needsSeveralWords?: boolean;
  /** Conjunctions, and adverbs like them, that begin a question which continues the one before. */
  conjunctions?: string;
  /**
   * Pronouns that stand for something named before. Pronouns that are articles as well are left out, and so is the
   * empty subject of "is there": a question without other words is short enough to be recognised by that.
   */
  pronouns?: string;
  /** Matches a question whose beginning shows that it continues the one before. */
  followUp?: RegExp;
  /** Says that nothing in the documents answers the question. */
  noAnswer?: string;
}

/** Returns the definitions by their ISO 639-1 codes. */
export const defineLanguages = <Code extends string>(
  languages: Readonly<Record<Code, LanguageDefinition>>,
): Readonly<Record<Code, LanguageDefinition>> => languages;
