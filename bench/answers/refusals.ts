import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CORPORA, readManifest } from '#bench/corpora.ts';

/** Question with passages that answer it, and passages on the same subject that do not. */
export interface RefusalItem {
  id: string;
  language: string;
  question: string;
  /** Parts of the answer. Each part is a list of forms, one of which must be said. */
  answers: string[][];
  passages: { id: string; text: string; contains_answer: boolean }[];
  variants: Record<RefusalVariant, string[]>;
}

export type RefusalVariant = 'with_answer' | 'without_answer';

/** Names of the sets in the folder `chat-refusals`, one for each language. */
export const REFUSAL_SETS = ['chat-refusals-en', 'chat-refusals-zh'];

const FOLDER = 'chat-refusals';

/** Reads the questions of one language. Returns an empty list if the folder is missing. */
export function readRefusals(set: string): RefusalItem[] {
  if (!existsSync(join(CORPORA, FOLDER, 'manifest.json'))) return [];
  const language = set.slice(FOLDER.length + 1);
  const { items } = readManifest<{ items: RefusalItem[] }>(FOLDER);
  return items.filter((item) => item.language === language);
}

/** Returns the passages of one variant of all questions, as documents of one index. */
export function listRefusalDocuments(
  items: readonly RefusalItem[],
  variant: RefusalVariant,
): { id: string; text: string; metadata: Record<string, unknown> }[] {
  return items.flatMap(({ id, passages, variants }) => {
    const chosen = new Set(variants[variant]);
    return passages
      .filter((passage) => chosen.has(passage.id))
      .map((passage) => ({ id: `${id}-${passage.id}`, text: passage.text, metadata: {} }));
  });
}
