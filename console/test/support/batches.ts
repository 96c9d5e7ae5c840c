import type { Page, Route } from 'playwright-core';
import { buildPdf, paragraph, text } from '../../../test/fixtures/pdf.ts';
import type { ServiceClient } from '../../../test/process/service.ts';
import { eventually } from './papers.ts';

/** Timeout in milliseconds for the jobs of a batch, which a busy machine runs slowly. */
export const JOBS_MS = 10 * 60_000;
/** Timeout in milliseconds of a test that waits for the jobs of a batch. */
export const BATCH_TEST_MS = 20 * 60_000;

export interface BatchItem {
  job_id: string;
  file_name: string;
  review_state: string;
  review_revision: number;
  corrections: Record<string, unknown>;
}

const buildInvoice = (number: number) =>
  new Uint8Array(
    buildPdf({
      pages: [
        {
          content: [
            text(72, 730, 'Invoice', 20),
            paragraph(72, 690, [
              `Invoice number: INV-${100 + number}`,
              `Invoice date: 2026-03-${String(number).padStart(2, '0')}`,
              'Seller: Harbour Supplies Ltd',
              `Total due: ${number * 10}.50 EUR`,
            ]),
          ].join(''),
        },
      ],
    }),
  );

const properties = {
  invoice_number: { type: 'string', description: 'Invoice number' },
  seller: { type: 'object', properties: { name: { type: 'string', description: 'Seller' } } },
  total_due: { type: 'number', description: 'Total due' },
  fax: { type: ['string', 'null'], description: 'Fax number' },
};

/** Uploads the invoices `bill-1.pdf` to `bill-COUNT.pdf`. */
export async function uploadInvoices(service: ServiceClient, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    ids.push(await service.upload(`bill-${number}.pdf`, buildInvoice(number)));
  }
  return ids;
}

/** Saves a configuration that extracts the values of an invoice, and as many further fields. */
export async function saveConfiguration(service: ServiceClient, further = 0): Promise<string> {
  const names = Array.from({ length: further }, (_, at) => `further_${at}`);
  const saved = await service.call<{ id: string }>('POST', '/api/v1/beta/configurations', {
    name: 'Bills',
    parameters: {
      product_type: 'extract_v2',
      cite_sources: true,
      confidence_scores: true,
      data_schema: {
        type: 'object',
        properties: {
          ...properties,
          ...Object.fromEntries(names.map((name) => [name, { type: ['string', 'null'] }])),
        },
      },
    },
  });
  return saved.id;
}

/** Creates a batch, and resolves with its id when all of its jobs have ended. */
export async function runBatch(
  service: ServiceClient,
  fileIds: string[],
  configurationId: string,
): Promise<string> {
  const { id } = await service.call<{ id: string }>('POST', '/api/v2/batches', {
    job_type: 'extract',
    file_ids: fileIds,
    configuration_id: configurationId,
  });
  const readStatus = async () =>
    (await service.call<{ status: string }>('GET', `/api/v2/batches/${id}`)).status;
  await eventually(readStatus, JOBS_MS).toBe('COMPLETED');
  return id;
}

export const listItems = async (service: ServiceClient, batchId: string): Promise<BatchItem[]> =>
  (await service.call<{ items: BatchItem[] }>('GET', `/api/v2/batches/${batchId}/items?expand=result`)).items;

/** Approves a file of a batch, as another user does. */
export const approve = (service: ServiceClient, { job_id, review_revision, corrections }: BatchItem) =>
  service.call('PUT', `/api/v2/extract/${job_id}/review`, {
    revision: review_revision,
    approved: true,
    corrections,
  });

export interface Held {
  /** Number of requests so far. */
  readonly count: number;
  /** Bodies of the requests so far, as JSON. */
  readonly bodies: unknown[];
  /** Lets the held requests and all further ones pass. */
  release(): void;
}

/** Holds the requests of a page that match, until they are released. The service then answers them. */
export async function hold(
  page: Page,
  url: RegExp,
  isHeld: (route: Route, count: number) => boolean = () => true,
): Promise<Held> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const bodies: unknown[] = [];
  await page.route(url, async (route) => {
    bodies.push(route.request().postDataJSON());
    if (isHeld(route, bodies.length)) await released;
    // The page may have cancelled the request, or may be closed.
    await route.continue().catch(() => {});
  });
  return {
    bodies,
    release,
    get count() {
      return bodies.length;
    },
  };
}
