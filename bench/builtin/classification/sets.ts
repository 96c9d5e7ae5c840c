import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { ClassifyRule } from '#src/classification/configuration.ts';
import type { ClassifyDocument } from '#src/classification/document.ts';
import { CORPORA, readManifest } from '../../corpora.ts';
import { type ParsingService, startParsing } from '../../parsing/client.ts';
import { MIXED_FILES, MIXED_RULES, PROJECT_FILES, RULES_OF_CLASSIFY } from './mixed.ts';

/** Names of the sets. The value lists the sets whose documents certainly fit none of the rules. */
const SETS: Record<string, string[]> = {
  classify: ['classify-contracts'],
  'classify-kinds': [],
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

/** Set of documents of many formats and languages, and the same documents with the rules of the set "classify". */
export const MIXED = 'mixed';
export const MIXED_BY_CLASSIFY = 'mixed, by rules of classify';

/** Sets that take no part in fitting the weights of a set, because they share documents or rules with it. */
const RELATED: Record<string, string[]> = {
  classify: [MIXED_BY_CLASSIFY],
  [MIXED]: [MIXED_BY_CLASSIFY],
  [MIXED_BY_CLASSIFY]: [MIXED, 'classify'],
};

/** Returns true if a set may be used to fit the weights with which another set is measured. */
export const isUnrelated = (set: string, measured: string): boolean =>
  set !== measured && set !== MIXED_BY_CLASSIFY && !RELATED[measured]?.includes(set);

/** Returns true if a set is used to fit the weights that are shipped. */
export const isFitted = (set: string): boolean => set !== MIXED_BY_CLASSIFY;

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

interface File {
  repo: string;
  path: string;
  file: string;
  upload_name?: string;
  /** Text of a picture, line by line. The parsers of the benches read no pictures. */
  lines?: string[];
}

interface Manifest {
  rules: ClassifyRule[];
  items: (File & { type: string | null })[];
}

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Reads all sets and parses their documents as the service does. Pictures without a text are left out. The last two
 * sets are put together from files of other corpora.
 */
export async function readSets(): Promise<ClassificationSet[]> {
  const parsing = await startParsing();
  try {
    const sets: ClassificationSet[] = [];
    const seen = new Set<string>();
    for (const [name, strangers] of Object.entries(SETS)) {
      const { rules, items } = readManifest<Manifest>(name);
      const read = items.map(async (each) => ({
        document: await readFile(parsing, name, each),
        type: each.type,
      }));
      for (const { repo, path } of items) seen.add(`${repo} ${path}`);
      sets.push({ name, rules, items: (await Promise.all(read)).filter(hasText), strangers });
    }
    const mixed = await readMixedItems(parsing, seen);
    sets.push({ name: MIXED, rules: MIXED_RULES, items: mixed, strangers: [] });
    const renamed = mixed.flatMap(({ document, type }) => {
      const other = RULES_OF_CLASSIFY[type ?? ''];
      return other === undefined ? [] : [{ document, type: other }];
    });
    sets.push({ name: MIXED_BY_CLASSIFY, rules: sets[0]!.rules, items: renamed, strangers: [] });
    return sets;
  } finally {
    await parsing.stop();
  }
}

/** Reads the files that only the mixed set contains. */
async function readMixedItems(parsing: ParsingService, seen: ReadonlySet<string>): Promise<Item[]> {
  const items: Item[] = [];
  for (const { type, set, file } of MIXED_FILES) {
    const manifest = readManifest<File[] | { items: File[] }>(set);
    for (const each of Array.isArray(manifest) ? manifest : manifest.items) {
      if (!file.test(each.file) || seen.has(`${each.repo} ${each.path}`)) continue;
      items.push({ document: await readFile(parsing, set, each), type });
    }
  }
  for (const { type, file } of PROJECT_FILES) {
    const { pages, title } = await parsing.parse(join(ROOT, file), `document${extname(file)}`);
    items.push({ document: { pages, title, name: `document${extname(file)}` }, type });
  }
  return items.filter(hasText);
}

async function readFile(parsing: ParsingService, set: string, { file, upload_name, lines }: File) {
  const name = upload_name ?? `document${extname(file)}`;
  if (lines)
    return { name, pages: [{ index: 0, width: 612, height: 792, text: lines.join('\n'), blocks: [] }] };
  const own = join(CORPORA, set, file);
  const { pages, title } = await parsing.parse(existsSync(own) ? own : join(CORPORA, file), name);
  return { pages, title, name };
}

const hasText = ({ document }: Item) => document.pages.some(({ text }) => text.trim() !== '');
