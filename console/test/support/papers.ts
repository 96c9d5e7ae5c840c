import { expect } from 'vitest';
import { buildPdf, paragraph, text } from '../../../test/fixtures/pdf.ts';
import type { ServiceClient } from '../../../test/process/service.ts';
import { PATIENCE_MS } from '../../../test/support/patience.ts';

/** Polls with a long timeout, because a busy machine may be slow. */
export const eventually = <Value>(read: () => Value | Promise<Value>, timeout = PATIENCE_MS) =>
  expect.poll(read, { timeout });

export const newIndex = async (service: ServiceClient, name: string, body: object = {}) =>
  (await service.call<{ id: string }>('POST', '/api/v1/pipelines', { name, ...body })).id;

/** Deletes everything that a list contains, so that a test begins without what a failed attempt left behind. */
export async function deleteAll(service: ServiceClient, path: string): Promise<void> {
  type Item = { id: string };
  const list = await service.call<Item[] | { items: Item[] }>('GET', path);
  for (const { id } of Array.isArray(list) ? list : list.items) {
    await service.call('DELETE', `${path}/${id}`);
  }
}

export const addFiles = (service: ServiceClient, index: string, ids: string[]) =>
  service.call(
    'PUT',
    `/api/v1/pipelines/${index}/files`,
    ids.map((file_id) => ({ file_id })),
  );

/** Resolves when the index has processed its files. */
export const synced = async (service: ServiceClient, index: string) => {
  const status = async () =>
    (await service.call<{ status: string }>('GET', `/api/v1/pipelines/${index}/status`)).status;
  await expect.poll(status, { timeout: PATIENCE_MS, interval: 200 }).toMatch(/SUCCESS/);
};

/** Builds a PDF of two pages whose text gives a chunk that spans both pages, and further chunks. */
export const twoPages = () => {
  const lines = (from: number) =>
    Array.from({ length: 12 }, (_, n) => `Berth ${from + n} takes ships of ${from * 3 + n} metres at most.`);
  const contents = [1, 13].map((from) =>
    [text(60, 730, `Berths from ${from}`, 18), paragraph(60, 690, lines(from), 11, 15)].join(''),
  );
  return new Uint8Array(buildPdf({ pages: contents.map((content) => ({ content })) }));
};
