import { messageOf } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';

export type Pages = AsyncIterable<readonly unknown[]>;

export const isPages = (value: object): value is Pages => Symbol.asyncIterator in value;

/**
 * A JSON array, sent as its pages are read, so that no list is held as a whole. What the first page fails with
 * is thrown; a later failure breaks the connection off, as the answer has begun.
 */
export async function streamList(
  pages: Pages,
  log: Logger,
  said: (page: readonly unknown[]) => unknown = (page) => page,
): Promise<ReadableStream<Uint8Array>> {
  const reading = pages[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let page = await reading.next();
  let before = '[';
  return new ReadableStream({
    async pull(controller) {
      try {
        // A pull that gives nothing is not followed by another one.
        while (!page.done && page.value.length === 0) page = await reading.next();
        if (page.done) {
          controller.enqueue(encoder.encode(before === '[' ? '[]' : ']'));
          return controller.close();
        }
        const items = JSON.stringify(said(page.value)).slice(1, -1);
        controller.enqueue(encoder.encode(before + items));
        before = ',';
        page = await reading.next();
      } catch (error) {
        log.error('a list broke off', { error: messageOf(error) });
        controller.error(error);
      }
    },
    async cancel() {
      await reading.return?.();
    },
  });
}
