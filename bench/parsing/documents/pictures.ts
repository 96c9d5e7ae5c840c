import { join } from 'node:path';
import { CORPORA, readManifest } from '../../corpora.ts';
import { normalise } from '../order.ts';
import { compareTablePictures } from '../tables/pictures.ts';
import { measureEditDistance, measureWordF1 } from './measures.ts';
import { startReaders } from './readers.ts';

interface Item {
  group: 'receipts' | 'pages' | 'turned and old';
  file: string;
  type: string;
  language: string;
  lines?: string[];
  truth_text?: string | null;
  must_contain?: string[];
}

/** Maximum length of a text that is compared by edit distance, which takes quadratic time. */
const LONGEST_TEXT = 15_000;

const prepare = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{P}]/gu, '')
    .slice(0, LONGEST_TEXT);

interface Figure {
  measure: string;
  value: number;
}

/** Returns the measure of a picture: word F1, edit distance, or the share of the phrases. */
function measure(item: Item, text: string): Figure {
  if (item.lines) return { measure: 'receipts: word F1', value: measureWordF1(text, item.lines.join('\n')) };
  const truth = item.truth_text;
  if (item.group === 'pages') {
    const value = measureEditDistance(prepare(text), prepare(truth ?? ''));
    return { measure: `pages ${item.language}: edit distance (0 is best)`, value };
  }
  if (truth) return { measure: 'turned pages: word F1', value: measureWordF1(text, truth) };
  const phrases = item.must_contain ?? [];
  const found = phrases.filter((phrase) => normalise(text).includes(normalise(phrase).trim()));
  return {
    measure: 'old newspaper: share of the phrases',
    value: found.length / Math.max(1, phrases.length),
  };
}

/**
 * Prints how well pictures of text are read, by kind. `limit` is the maximum number of receipts; the other
 * pictures are always read. Tables that are drawn from `tableSeed` are measured if `only` is empty.
 */
export async function comparePictures(
  only: string,
  limit = Number.POSITIVE_INFINITY,
  tableSeed = 5,
): Promise<void> {
  const all = readManifest<Item[]>('parse-scans').filter(({ file }) => file.includes(only));
  const receipts = all.filter(({ group }) => group === 'receipts').slice(0, limit);
  const items = [...receipts, ...all.filter(({ group }) => group !== 'receipts')];
  const { readers, readTables, stop } = await startReaders();
  const figures = new Map<string, Record<string, number[]>>();
  for (const item of items) {
    const line: string[] = [];
    for (const reader of readers.filter(({ kinds }) => kinds.includes('picture'))) {
      const begun = performance.now();
      const pages = await reader.read(join(CORPORA, 'parse-scans', item.file), item.language);
      const { measure: name, value } = measure(item, pages.join('\n'));
      const row = figures.get(name) ?? {};
      figures.set(name, row);
      row[reader.name] ??= [];
      row[reader.name]!.push(value);
      line.push(`${reader.name} ${value.toFixed(3)} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
    }
    console.log(`${item.file}: ${line.join(', ')}`);
  }
  if (only === '') await compareTablePictures(readTables, tableSeed);
  await stop();
  const average = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  console.table(
    [...figures].map(([name, row]) => ({
      measure: name,
      ...Object.fromEntries(
        Object.entries(row).map(([reader, values]) => [reader, average(values).toFixed(3)]),
      ),
    })),
  );
}
