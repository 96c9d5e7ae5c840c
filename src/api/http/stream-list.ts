import { getErrorMessage } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';

export type Pages = AsyncIterable<readonly unknown[]>;

export const isPages = (value: object): value is Pages => Symbol.asyncIterator in value;

/**
 * Sends a JSON array page by page, so that the whole list is never in memory. An error while reading the
 * first page is thrown. A later error closes the connection, because the response has already begun.
 */
export async function streamList(
  pages: Pages,
  log: Logger,
  encodePage: (page: readonly unknown[]) => unknown = (page) => page,
): Promise<ReadableStream<Uint8Array>> {
  const reading = pages[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let page = await reading.next();
  let before = '[';
  return new ReadableStream({
    async pull(controller) {
      try {
        // Empty pages are skipped, because the stream does not call `pull` again after a call that produced
        // no output.
        while (!page.done && page.value.length === 0) page = await reading.next();
        if (page.done) {
          controller.enqueue(encoder.encode(before === '[' ? '[]' : ']'));
          return controller.close();
        }
        const items = JSON.stringify(encodePage(page.value)).slice(1, -1);
        controller.enqueue(encoder.encode(before + items));
        before = ',';
        page = await reading.next();
      } catch (error) {
        log.error('streaming a list failed', { error: getErrorMessage(error) });
        controller.error(error);
      }
    },
    async cancel() {
      await reading.return?.();
    },
  });
}
