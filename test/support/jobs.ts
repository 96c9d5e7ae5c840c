import { PATIENCE_MS } from '#test/support/patience.ts';
import { call } from './client.ts';

export interface JobBody {
  id: string;
  status: string;
  attempt: number;
  error_message: string | null;
  extract_result?: Record<string, unknown> & Record<string, unknown>[];
  extract_metadata?: {
    parse_job_id: string;
    field_metadata?: Record<string, Record<string, { citation: { page: number; matching_text: string }[] }>>;
  };
  metadata?: { usage: { num_pages_extracted: number } };
  configuration?: Record<string, unknown>;
  result?: { type: string | null; confidence: number; reasoning: string } | null;
  [name: string]: unknown;
}

const ENDED = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

export type Product = 'extract' | 'classify' | 'split' | 'sheets' | 'parse';

export async function createJob(product: Product, body: object, key?: string): Promise<JobBody> {
  const answer = await call<JobBody>('POST', `/api/v2/${product}`, { body, ...(key && { key }) });
  if (answer.status !== 200) throw new Error(`create: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export async function untilEnded(product: Product, id: string, key?: string): Promise<JobBody> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 25) {
    const { body } = await call<JobBody>('GET', `/api/v2/${product}/${id}`, { ...(key && { key }) });
    if (ENDED.has(body.status)) return body;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`job ${id} did not end`);
}

export async function run(product: Product, body: object, key?: string): Promise<JobBody> {
  return untilEnded(product, (await createJob(product, body, key)).id, key);
}

export const INVOICE = `# Invoice

Invoice number: INV-2041
Invoice date: 2026-03-14
Total due: 1,163.40 EUR
Contact: billing@harbour.example
`;

export const INVOICE_SCHEMA = {
  type: 'object',
  properties: {
    invoice_number: { type: 'string' },
    invoice_date: { type: 'string', format: 'date' },
    total_due: { type: 'number' },
    fax: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['invoice_number'],
};

export const RULES = [
  {
    type: 'invoice',
    description: 'A bill that asks for payment, with an invoice number and a total amount due.',
  },
  { type: 'recipe', description: 'Instructions for cooking a dish, with ingredients and preparation steps.' },
];

/** Categories of split jobs, one for each rule of classify jobs. */
export const CATEGORIES = RULES.map(({ type, description }) => ({ name: type, description }));
