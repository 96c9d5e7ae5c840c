import { join } from 'node:path';
import type { ClassifyRule } from '#src/classification/configuration.ts';
import type { ClassifyDocument } from '#src/classification/document.ts';
import { CORPORA, readManifest } from '../../corpora.ts';
import { startParsing } from '../../parsing/client.ts';

/** Names of the sets. The value lists the sets whose documents certainly fit none of the rules. */
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
  /** Type of the rule that fits, or null if none does. */
  type: string | null;
}

export interface ClassificationSet {
  name: string;
  rules: ClassifyRule[];
  items: Item[];
  /** Names of the sets whose documents fit none of these rules. */
  strangers: string[];
}

interface Manifest {
  rules: ClassifyRule[];
  items: { file: string; upload_name: string; type: string | null }[];
}

/** Reads all sets and parses their documents as the service does. */
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
