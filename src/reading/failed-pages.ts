import type { Page, ReadBy } from '#src/documents/document.ts';
import { Upstream } from '#src/lib/errors.ts';
import type { PagesPlan } from '#src/parse/plan.ts';
import { PageFailure } from './read-page.ts';

/** The share of pages that may fail where the parameters name none, and always one of several. */
const TOLERANCE = 0.05;

/** Returns how many of `count` pages may fail before the parse fails. */
export function toleratedFailures(count: number, { strict, errorTolerance: share }: PagesPlan): number {
  if (strict.model) return 0;
  return share === undefined ? Math.max(TOLERANCE * count, count > 1 ? 1 : 0) : share * count;
}

/**
 * Another page may fare better. What is wrong with the endpoint itself ends the work at once, and one that asks for
 * patience (429) has not failed.
 */
export const isOfPage = (error: unknown): error is PageFailure | Upstream =>
  error instanceof PageFailure || (error instanceof Upstream && error.retryable && error.status !== 429);

/** What stands in for a page that the model could not read, as `replace_failed_page_mode` asks. */
export function replacementFor(
  page: Page,
  message: string,
  { mode, prefix, suffix }: PagesPlan['failedPage'],
  readBy: ReadBy,
): Page {
  const said = (text: string): Page => {
    const blocks = text === '' ? [] : [{ type: 'paragraph' as const, text, markdown: text }];
    return { ...page, text, markdown: text, blocks, readBy };
  };
  switch (mode) {
    case 'blank_page':
      return said('');
    case 'error_message':
      return said(`${prefix}${message}${suffix}`);
    default:
      return { ...page, readBy };
  }
}
