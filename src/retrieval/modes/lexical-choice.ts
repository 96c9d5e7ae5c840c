import { getAnalysis } from '#src/builtin/terms.ts';
import type { CatalogEntry } from '#src/retrieval/ports.ts';

export interface ScoredEntry extends CatalogEntry {
  score: number;
}

interface Match {
  entry: CatalogEntry;
  /**
   * Query terms that the entry contains, with their weights. A term in the title weighs more than a term in
   * the metadata.
   */
  terms: Map<string, number>;
}

const PLACE_WEIGHTS = { title: 1, metadata: 0.7 };
/**
 * Maximum number of matching entries that are kept. When twice as many are collected, the worse half is
 * dropped.
 */
const MAX_MATCHES = 2_500;
const MAX_DESCRIPTION_CHARACTERS = 400;
/** Metadata that identifies an entry and says nothing about its content. */
const ID_KEYS = new Set([
  'file_id',
  'document_id',
  'pipeline_id',
  'data_source_id',
  'external_file_id',
  'file_size',
  'file_path',
  'file_name',
]);

/**
 * Returns the entries whose title or metadata shares words with the query, best first. The score is the share
 * of the query's words that were found, weighted by their rarity in the catalog. `others` are some entries
 * without shared words.
 */
export async function chooseByWords(
  query: string,
  catalog: AsyncIterable<CatalogEntry[]>,
  most: number,
): Promise<{ likely: ScoredEntry[]; others: ScoredEntry[] }> {
  const analysis = getAnalysis(undefined, query);
  const wanted = new Set(analysis.meaningful(splitNames(query)));
  const frequency = new Map<string, number>();
  let found: Match[] = [];
  const others: ScoredEntry[] = [];
  let size = 0;
  /** Returns the best matches. Terms that are rare in the part of the catalog read so far count more. */
  const best = (count: number) => {
    const rarities = new Map<string, number>();
    for (const term of wanted)
      rarities.set(term, Math.log(1 + (size + 1) / ((frequency.get(term) ?? 0) + 0.5)));
    const total = [...rarities.values()].reduce((sum, rarity) => sum + rarity, 0);
    return found
      .map((match) => {
        let score = 0;
        for (const [term, weight] of match.terms) score += (weight * rarities.get(term)!) / total;
        return { ...match, score: Math.min(1, score) };
      })
      .sort((a, b) => b.score - a.score || (a.entry.documentId < b.entry.documentId ? -1 : 1))
      .slice(0, count);
  };
  for await (const batch of catalog) {
    for (const entry of batch) {
      size += 1;
      const terms = new Map<string, number>();
      for (const [place, text] of [
        ['metadata', describeMetadata(entry, [])],
        ['title', entry.title],
      ] as const) {
        for (const term of analysis.terms(splitNames(text)))
          if (wanted.has(term)) terms.set(term, PLACE_WEIGHTS[place]);
      }
      for (const term of terms.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1);
      if (terms.size > 0) found.push({ entry, terms });
      else if (others.length < most) others.push({ ...entry, score: 0 });
      if (found.length === 2 * MAX_MATCHES) found = best(MAX_MATCHES);
    }
  }
  const likely = best(most).map(({ entry, score }) => ({ ...entry, score }));
  return { likely, others };
}

/** Describes an entry in one line for a model, without hidden keys. */
export function describeEntry(entry: CatalogEntry, hiddenKeys: readonly string[]): string {
  const hidden = [...hiddenKeys, ...(entry.hiddenKeys ?? [])];
  const titleKey = entry.metadata.file_name === undefined ? 'title' : 'file_name';
  const title = hidden.includes(titleKey) ? '' : entry.title || entry.documentId;
  const metadata = describeMetadata(entry, hidden);
  return [title, metadata].filter(Boolean).join(' | ').slice(0, MAX_DESCRIPTION_CHARACTERS);
}

function describeMetadata({ metadata }: CatalogEntry, hiddenKeys: readonly string[]): string {
  return Object.entries(metadata)
    .filter(([key]) => !ID_KEYS.has(key) && !hiddenKeys.includes(key))
    .map(([key, value]) => `${key}: ${String(value)}`)
    .join('; ');
}

/** Splits file names into words, so that annualReport2023 becomes three words. */
function splitNames(text: string): string {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{L})(\p{N})/gu, '$1 $2')
    .replaceAll('_', ' ');
}
