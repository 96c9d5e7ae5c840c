import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '#src/documents/document.ts';
import { findDates } from '#src/extraction/values/dates.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { CORPORA, readManifest } from '../corpora.ts';
import { startParsing } from '../parsing/client.ts';
import type { Item } from './extraction-sets.ts';

const SET = 'parse-scans';
/** Folder that keeps the recognised text, because reading all pictures takes minutes. */
const CACHE = join(tmpdir(), 'sluice-bench-pictures');

interface Listed {
  group: string;
  file: string;
  /** Text of each line, as a person read it. */
  lines: string[];
  keys?: { company: string; date: string; address: string; total: string };
}

/** Wordings of the schema. Documents use them in turn. */
const WORDINGS: ((keys: NonNullable<Listed['keys']>) => Pick<Item, 'schema' | 'expected'>)[] = [
  ({ company, date, address, total }) => ({
    schema: buildSchema({
      company: { type: 'string', description: 'Name of the company that issued the receipt' },
      date: { type: 'string', format: 'date', description: 'Date of the receipt (YYYY-MM-DD)' },
      address: { type: 'string', description: 'Address of the company' },
      total: { type: 'string', description: 'Total amount as printed' },
    }),
    expected: { company, date: toIsoDate(date), address, total: total.replace(/^[^\d]+/, '') },
  }),
  ({ company, date, address, total }) => ({
    schema: buildSchema({
      issuer: { type: 'string', description: 'Shop or business that gave out this receipt' },
      bought_on: { type: 'string', format: 'date', description: 'Day of the purchase' },
      issuer_address: { type: 'string', description: 'Where the shop is, as printed' },
      total_amount: { type: 'number', description: 'What the customer had to pay' },
    }),
    expected: {
      issuer: company,
      bought_on: toIsoDate(date),
      issuer_address: address,
      total_amount: Number(total.replace(/[^\d.]/g, '')),
    },
  }),
];

/**
 * Reads pictures of receipts with the OCR engine, or their recognised text from an earlier run. Each receipt is
 * returned twice: with the recognised text and with the text that a person read.
 */
export async function readPictures(): Promise<Item[]> {
  const listed = readManifest<Listed[]>(SET).filter(({ keys }) => keys);
  const recognized = await recognize(listed.map(({ file }) => file));
  return listed.flatMap(({ file, lines, keys }, index): Item[] => {
    const pages = recognized.get(file) ?? [];
    const text = lines.join('\n');
    const typed = pages.slice(0, 1).map((page) => ({ ...page, words: [], blocks: [], text, markdown: text }));
    const asked = WORDINGS[index % WORDINGS.length]!(keys!);
    return [
      { kind: 'receipts as pictures', file, pages, ...asked },
      { kind: 'receipts as true text', file, pages: typed, ...asked },
    ];
  });
}

async function recognize(files: string[]): Promise<Map<string, Page[]>> {
  mkdirSync(CACHE, { recursive: true });
  const place = (file: string) => join(CACHE, `${file.replace(/\W/g, '_')}.json`);
  const missing = files.filter((file) => !existsSync(place(file)));
  if (missing.length > 0) {
    console.log(`Reading ${missing.length} pictures. Delete ${CACHE} after a change of the OCR engine.`);
    const parsing = await startParsing('pictures/wrangler.toml');
    try {
      for (const file of missing) {
        const { pages } = await parsing.parse(join(CORPORA, SET, file));
        writeFileSync(place(file), JSON.stringify(pages));
      }
    } finally {
      await parsing.stop();
    }
  }
  return new Map(files.map((file) => [file, JSON.parse(readFileSync(place(file), 'utf8')) as Page[]]));
}

const buildSchema = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties });

const toIsoDate = (date: string) =>
  findDates(date.replaceAll('/', '-').replace(/-(\p{L}+)-/u, ' $1 '), 'dmy')[0]?.value ?? date;
