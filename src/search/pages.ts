import type { Metadata, StoredChunk } from '#src/ports/index-types.ts';

/** Page range of a chunk, and the path of its file if the file is inside the document. */
export type ChunkPages = Pick<StoredChunk, 'startPage' | 'endPage' | 'member'>;

/** Metadata key for the path of a file inside the document, such as an archive member or an attachment. */
export const MEMBER_KEY = 'member_path';

/**
 * Returns the page metadata of a chunk. Nodes show these values, and filters use them in addition to the
 * document's metadata.
 */
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

/** Returns whether a metadata key describes a chunk and not its document. */
export function isPageKey(key: string): boolean {
  return key === MEMBER_KEY || PAGE_KEYS.includes(key);
}
