import { join } from 'node:path';
import type { Page } from '#src/documents/document.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { CORPORA, readManifest } from '../corpora.ts';
import { startParsing } from '../parsing/client.ts';

/** A document with what a schema should find in it. */
export interface Item {
  kind: string;
  file: string;
  schema: JsonSchema;
  expected: Record<string, unknown>;
  pages: Page[];
}

type Listed = Omit<Item, 'kind' | 'pages'> & { group: string };

const SETS = ['extract', 'extract-contracts', 'extract-receipts', 'extract-prose'];
/** What is left out together where one kind is left out. */
const KINDS: Record<string, string> = {
  zugferd: 'invoices',
  invoice2data: 'invoices',
  ntsb: 'accident reports',
  'contract-a': 'contracts',
  'contract-b': 'contracts',
  'contract-c': 'contracts',
  'receipt-en': 'receipts',
  'receipt-de': 'receipts',
};

/** Every document of the sets, parsed as the service parses it. */
export async function readItems(): Promise<Item[]> {
  const listed = SETS.flatMap((set) => readManifest<Listed[]>(set));
  const parsing = await startParsing();
  const items: Item[] = [];
  for (const { group, file, schema, expected } of listed) {
    const { pages } = await parsing.parse(join(CORPORA, file)).catch((error: unknown) => {
      console.log(`${file} could not be parsed: ${String(error)}`);
      return { pages: [] };
    });
    items.push({ kind: KINDS[group] ?? group, file, schema, expected, pages });
  }
  await parsing.stop();
  return items;
}
