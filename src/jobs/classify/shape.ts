import type { LayoutFeatures } from './document.ts';

/** What the layout says for (or, negative, against) a genre. */
export interface ShapeClue {
  fact: string;
  weight: number;
}

type Shape = (features: LayoutFeatures) => ShapeClue | undefined;

const isProse = (f: LayoutFeatures) => f.sentencesPerHundredWords > 3 && f.shortLines < 0.3;

const unlikeProse: Shape = (f) => (isProse(f) ? { fact: 'running text', weight: -1.5 } : undefined);

/** By genre id. */
export const SHAPES: Partial<Record<string, Shape[]>> = {
  slides: [
    (f) => {
      if (f.landscape <= 0.6) return undefined;
      return f.wordsPerPage < 220
        ? { fact: 'wide pages with little text', weight: 3.2 }
        : { fact: 'wide pages', weight: 1 };
    },
  ],
  data_table: [
    (f) => {
      if (f.tableLines > 0.6 && f.sentencesPerHundredWords < 2) {
        return { fact: 'rows and columns without sentences', weight: 2.8 };
      }
      return f.numericWords > 0.5 ? { fact: 'mostly numbers', weight: 1.5 } : undefined;
    },
  ],
  news: [
    (f) => {
      const plain = f.pages <= 4 && f.tableLines < 0.1 && f.headings <= 3;
      return plain && f.sentencesPerHundredWords > 3
        ? { fact: 'running text in sentences', weight: 0.9 }
        : undefined;
    },
  ],
  receipt: [
    unlikeProse,
    (f) => {
      const slip = f.pages === 1 && f.wordsPerPage < 250 && f.shortLines > 0.85;
      return slip ? { fact: 'one page of short lines', weight: 0.9 } : undefined;
    },
  ],
  invoice: [
    unlikeProse,
    (f) => (f.pages > 12 ? { fact: 'more pages than bills have', weight: -1.5 } : undefined),
  ],
  resume: [unlikeProse],
  clinical_protocol: [
    (f) => (f.futureTense > 0.4 ? { fact: 'plans in the future tense', weight: 1.5 } : undefined),
  ],
  scientific_paper: [
    (f) => {
      const technical = f.sentencesPerHundredWords > 2.5 && f.longWords > 0.14;
      return technical ? { fact: 'sentences of technical words', weight: 1 } : undefined;
    },
  ],
};
