/** A cue: words that documents of a genre print, and how strongly they speak for it (1 weak .. 3 almost certain). */
export type Cue = [pattern: RegExp, weight: number];

/** A kind of document people sort by, and how to recognise the rule that means it and the document that is it. */
export interface Genre {
  id: string;
  /** Tested on a rule's type, then on its description. */
  rule: RegExp;
  /** Looked for in the whole text; counts more near the top of the document. */
  cues: Cue[];
  /** File extensions that this genre mostly comes in. */
  extensions?: string[];
}

/** Whole words or phrases, in any case. */
export const words = (source: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, 'iu');
