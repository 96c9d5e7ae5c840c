export interface Passage {
  /** Id that is unique over all sets, because it starts with the name of the set. */
  documentId: string;
  vector: Float32Array;
  /** Terms of title and text with their frequencies, as the index counts them. */
  terms: Map<string, number>;
  length: number;
}

export interface Question {
  text: string;
  vector: Float32Array;
  /** Grades by document. Empty if the set has no grades of documents. */
  relevant: Map<string, number>;
}

export interface Corpus {
  passages: Passage[];
  questions: Question[];
}
