import type { Metadata, StoredChunk } from '#src/ports/index-types.ts';

/** Where in its document a chunk is. */
export type ChunkPages = Pick<StoredChunk, 'startPage' | 'endPage' | 'member'>;

/** Of chunks of a file inside the document: its path. */
export const MEMBER_KEY = 'member_path';

/** A chunk's pages as nodes show them, and as filters see them besides its document's metadata. */
export function pageMetadata({ startPage, endPage = startPage, member }: ChunkPages): Metadata {
  if (startPage === undefined || endPage === undefined) return {};
  return {
    page_label: startPage + 1,
    start_page_index: startPage,
    start_page_label: startPage + 1,
    end_page_index: endPage,
    end_page_label: endPage + 1,
    ...(member !== undefined && { [MEMBER_KEY]: member }),
  };
}

export const PAGE_KEYS: readonly string[] = Object.keys(pageMetadata({ startPage: 0 }));

/** What is said of a chunk and not of its document. */
export function isPageKey(key: string): boolean {
  return key === MEMBER_KEY || PAGE_KEYS.includes(key);
}
