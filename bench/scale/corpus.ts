export interface Passage {
  /** Of all documents, with the set's name before it. */
  documentId: string;
  vector: Float32Array;
  /** Terms and how often each occurs, title and text together, as the index counts them. */
  terms: Map<string, number>;
  length: number;
}

export interface Question {
  text: string;
  vector: Float32Array;
  /** Document -> grade; empty where the set grades no documents. */
  relevant: Map<string, number>;
}

export interface Corpus {
  passages: Passage[];
  questions: Question[];
}
