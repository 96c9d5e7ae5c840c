/** Definition of a natural language. Lists of words are texts in which spaces separate the words. */
export interface LanguageDefinition {
  /** Most common words that related languages do not have, or use with a different frequency. */
  commonWords?: string;
  /**
   * Letters and endings that distinguish the language from related ones. Each occurrence counts as a fraction
   * of a common word.
   */
  letters?: RegExp;
  /**
   * Pattern for letters of the language's script, with the flag `g`. Set if the script alone identifies the
   * language.
   */
  script?: RegExp;
  /**
   * True if the language shares its common words with a larger language. The larger language wins in doubtful
   * texts.
   */
  isSmaller?: boolean;
  /**
   * True if one common word is not enough to recognize the language, because the word also occurs in other
   * languages.
   */
  needsSeveralWords?: boolean;
  /** Conjunctions and similar adverbs that begin a question that continues the previous question. */
  conjunctions?: string;
  /**
   * Pronouns that refer to something mentioned earlier. Pronouns that are also articles are omitted. The
   * empty subject of "is there" is omitted too, because such a short question is already recognized by its
   * length.
   */
  pronouns?: string;
  /** Pattern for the beginning of a question that continues the previous question. */
  followUp?: RegExp;
  /** Answer in this language if the documents do not answer the question. */
  noAnswer?: string;
}

/** Checks the type of language definitions and returns them unchanged. Their keys are ISO 639-1 codes. */
export const defineLanguages = <Code extends string>(
  languages: Readonly<Record<Code, LanguageDefinition>>,
): Readonly<Record<Code, LanguageDefinition>> => languages;
