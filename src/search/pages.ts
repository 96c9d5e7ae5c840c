import type { Metadata, StoredChunk } from './types.ts';

/** A chunk's pages as nodes show them, and as filters see them besides its document's metadata. */
export function pageMetadata({
  startPage,
  endPage = startPage,
}: Pick<StoredChunk, 'startPage' | 'endPage'>): Metadata {
  if (startPage === undefined || endPage === undefined) return {};
  return {
    page_label: startPage + 1,
    start_page_index: startPage,
    start_page_label: startPage + 1,
    end_page_index: endPage,
    end_page_label: endPage + 1,
  };
}

export const PAGE_KEYS: readonly string[] = Object.keys(pageMetadata({ startPage: 0 }));

export function isPageKey(key: string): boolean {
  return PAGE_KEYS.includes(key);
}
