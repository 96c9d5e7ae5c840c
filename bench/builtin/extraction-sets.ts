import { join } from 'node:path';
import type { Page } from '#src/documents/document.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { CORPORA, readManifest } from '../corpora.ts';
import { type ParsingService, startParsing } from '../parsing/client.ts';

/** Document with the values that a schema should find in it. */
export interface Item {
  kind: string;
  file: string;
  schema: JsonSchema;
  expected: Record<string, unknown>;
  pages: Page[];
}

type Listed = Omit<Item, 'kind' | 'pages'> & { group: string };

/** Sets on which the weights are fitted. The paths of their files are relative to the folder of all sets. */
const SETS = ['extract', 'extract-contracts', 'extract-receipts', 'extract-prose'];
/** Set on which no weight was fitted. The paths of its files are relative to its own folder. */
const UNSEEN_SET = 'extract-nda';
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

/** Reads all documents of the fitted sets and parses them as the service does. */
export async function readItems(): Promise<Item[]> {
  const listed = SETS.flatMap((set) => readManifest<Listed[]>(set));
  return withParsing((parsing) => parseAll(listed, CORPORA, parsing));
}

/**
 * Reads the documents of the unseen set. Half of them use the first wording of their schema and half the
 * second.
 */
export async function readUnseenItems(): Promise<Item[]> {
  const [first, second] = ['manifest', 'manifest.second-wording'].map((name) =>
    readManifest<Listed[]>(UNSEEN_SET, name),
  );
  const listed = first!.map((item, index) => (index % 2 === 0 ? item : second![index]!));
  return withParsing((parsing) => parseAll(listed, join(CORPORA, UNSEEN_SET), parsing));
}

async function withParsing<Result>(read: (parsing: ParsingService) => Promise<Result>): Promise<Result> {
  const parsing = await startParsing();
  try {
    return await read(parsing);
  } finally {
    await parsing.stop();
  }
}

async function parseAll(listed: Listed[], folder: string, parsing: ParsingService): Promise<Item[]> {
  const items: Item[] = [];
  for (const { group, file, schema, expected } of listed) {
    const { pages } = await parsing.parse(join(folder, file)).catch((error: unknown) => {
      console.log(`${file} could not be parsed: ${String(error)}`);
      return { pages: [] };
    });
    items.push({ kind: KINDS[group] ?? group, file, schema, expected, pages });
  }
  return items;
}
