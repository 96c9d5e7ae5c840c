import { join } from 'node:path';
import type { Page } from '#src/documents/document.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { CORPORA, readManifest } from '../corpora.ts';
import { type ParsingService, startParsing } from '../parsing/client.ts';
import { readPictures } from './extraction-pictures.ts';

/** Document with the values that a schema should find in it. */
export interface Item {
  kind: string;
  file: string;
  schema: JsonSchema;
  expected: Record<string, unknown>;
  pages: Page[];
}

type Listed = Omit<Item, 'kind' | 'pages'> & { group: string };

/** Sets of documents that the parsers read. The paths of their files are relative to the folder of all sets. */
const SETS = ['extract', 'extract-contracts', 'extract-receipts', 'extract-prose'];
/** Set with two wordings of its schema. The paths of its files are relative to its own folder. */
const AGREEMENTS = 'extract-nda';
/** Kind of documents by group. All groups of a kind are left out together. */
const KINDS: Record<string, string> = {
  zugferd: 'invoices',
  invoice2data: 'invoices',
  ntsb: 'accident reports',
  'contract-a': 'contracts',
  'contract-b': 'contracts',
  'contract-c': 'contracts',
  'receipt-en': 'receipts',
  'receipt-de': 'receipts',
  'nda-a': 'non-disclosure',
  'nda-b': 'non-disclosure',
};

/** Kinds of documents on which no weight is fitted. */
const MEASURED_ONLY = new Set(['non-disclosure', 'receipts as pictures', 'receipts as true text']);
export const isFitted = ({ kind }: Item): boolean => !MEASURED_ONLY.has(kind);

/** Reads the documents of all sets and parses them as the service does. */
export async function readItems(): Promise<Item[]> {
  const listed = SETS.flatMap((set) => readManifest<Listed[]>(set));
  const agreements = [
    ...readManifest<Listed[]>(AGREEMENTS),
    ...readManifest<Listed[]>(AGREEMENTS, 'manifest.second-wording'),
  ];
  const parsing = await startParsing();
  try {
    return [
      ...(await parseAll(listed, CORPORA, parsing)),
      ...(await parseAll(agreements, join(CORPORA, AGREEMENTS), parsing)),
      ...(await readPictures()),
    ];
  } finally {
    await parsing.stop();
  }
}

async function parseAll(listed: Listed[], folder: string, parsing: ParsingService): Promise<Item[]> {
  const items: Item[] = [];
  const parsed = new Map<string, Page[]>();
  for (const { group, file, schema, expected } of listed) {
    const pages =
      parsed.get(file) ??
      (await parsing.parse(join(folder, file)).then(
        (document) => document.pages,
        (error: unknown) => {
          console.log(`${file} could not be parsed: ${String(error)}`);
          return [];
        },
      ));
    parsed.set(file, pages);
    items.push({ kind: KINDS[group] ?? group, file, schema, expected, pages });
  }
  return items;
}
