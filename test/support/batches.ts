import { PATIENCE_MS } from '#test/support/patience.ts';
import { call, upload } from './client.ts';
import type { Tenant } from './tenants.ts';

export interface BatchBody {
  id: string;
  status: string;
  name: string;
  file_count: number;
  status_counts: Record<string, number>;
  review_counts: Record<string, number>;
  [name: string]: unknown;
}

export interface ItemBody {
  file_id: string;
  file_name: string | null;
  job_id: string;
  status: string;
  error_message: string | null;
  review_state: string;
  review_revision: number;
  min_confidence: number | null;
  result?: Record<string, unknown>;
  confidences?: Record<string, number>;
  corrections?: Record<string, unknown> | null;
  [name: string]: unknown;
}

export const INVOICE_FIELDS = {
  type: 'object',
  properties: {
    invoice_number: { type: 'string', description: 'Invoice number' },
    seller: { type: 'object', properties: { name: { type: ['string', 'null'], description: 'Seller' } } },
    total_due: { type: 'number', description: 'Total due' },
  },
};
export const EXTRACTION = { data_schema: INVOICE_FIELDS, confidence_scores: true, cite_sources: true };

/** Uploads invoices with the numbers 1 to `count` and returns their ids. */
export const uploadInvoices = async ({ key }: Pick<Tenant, 'key'>, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let number = 1; number <= count; number++) {
    const text = `# Invoice\n\nInvoice number: INV-${number}\nSeller: Harbour Ltd\nTotal due: ${number}.50 EUR\n`;
    ids.push(await upload(`invoice-${number}.md`, text, { key }));
  }
  return ids;
};

export async function createBatch({ key }: Pick<Tenant, 'key'>, body: object): Promise<BatchBody> {
  const answer = await call<BatchBody>('POST', '/api/v2/batches', { key, body });
  if (answer.status !== 200) throw new Error(`create: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Polls a batch until none of its files is waiting or being processed. */
export async function untilBatchEnds({ key }: Pick<Tenant, 'key'>, id: string): Promise<BatchBody> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    const { body } = await call<BatchBody>('GET', `/api/v2/batches/${id}`, { key });
    const { PENDING = 0, RUNNING = 0 } = body.status_counts ?? {};
    if (body.status_counts && PENDING + RUNNING === 0) return body;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`batch ${id} did not end`);
}

export async function listItems({ key }: Pick<Tenant, 'key'>, id: string, query = ''): Promise<ItemBody[]> {
  const { body } = await call<{ items: ItemBody[] }>('GET', `/api/v2/batches/${id}/items${query}`, { key });
  return body.items;
}
