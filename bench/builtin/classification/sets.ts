import { join } from 'node:path';
import type { ClassifyRule } from '#src/classification/configuration.ts';
import type { ClassifyDocument } from '#src/classification/document.ts';
import { CORPORA, readManifest } from '../../corpora.ts';
import { startParsing } from '../../parsing/client.ts';

/** The sets, and those whose documents fit none of a set's rules for certain. */
const SETS: Record<string, string[]> = {
  classify: ['classify-contracts'],
  'classify-topics-en': ['classify-contracts', 'classify-bank-messages'],
  'classify-topics-de': ['classify-contracts', 'classify-bank-messages'],
  'classify-arxiv': ['classify-contracts', 'classify-bank-messages'],
  'classify-bank-messages': [
    'classify-topics-en',
    'classify-arxiv',
    'classify-contracts',
    'classify-topics-de',
  ],
  'classify-contracts': [
    'classify-topics-en',
    'classify-arxiv',
    'classify-bank-messages',
    'classify-topics-de',
  ],
};

export interface Item {
  document: ClassifyDocument;
  /** Null where no rule fits. */
  type: string | null;
}

export interface ClassificationSet {
  name: string;
  rules: ClassifyRule[];
  items: Item[];
  /** The names of the sets that hold nothing for these rules. */
  strangers: string[];
}

interface Manifest {
  rules: ClassifyRule[];
  items: { file: string; upload_name: string; type: string | null }[];
}

/** All sets, their documents parsed as the service does it. */
export async function readSets(): Promise<ClassificationSet[]> {
  const parsing = await startParsing();
  try {
    const sets: ClassificationSet[] = [];
    for (const [name, strangers] of Object.entries(SETS)) {
      const manifest = readManifest<Manifest>(name);
      const items: Item[] = [];
      for (const { file, upload_name, type } of manifest.items) {
        const { pages, title } = await parsing.parse(join(CORPORA, file), upload_name);
        items.push({ document: { pages, title, name: upload_name }, type });
      }
      sets.push({ name, rules: manifest.rules, items, strangers });
    }
    return sets;
  } finally {
    await parsing.stop();
  }
}
