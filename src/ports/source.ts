import { Upstream } from '#src/lib/errors.ts';

/** One thing in a data source that can become a file. */
export interface SourceEntry {
  /** Names it within its source for as long as it is there: an object key, an item id. */
  id: string;
  /** A file name with an extension: parsers are chosen by it. */
  name: string;
  /** Where it is, as people see it: folders and name. Becomes the node metadata's `file_path`. */
  path: string;
  /** Bytes, where the listing tells. */
  size: number | null;
  /** Differs whenever the content does: an ETag, a revision. */
  version: string;
  modifiedAt: Date | null;
  /** Where people open it in their browser. Becomes the node metadata's `web_url`. */
  webUrl: string | null;
  /** Who may see it, as the source tells. Becomes the file's `permission_info`. */
  permissions: Record<string, unknown> | null;
  /** What else the source tells of it. Becomes the file's `resource_info`, with the path and the address. */
  metadata: Record<string, unknown>;
}

export interface SourcePage {
  entries: SourceEntry[];
  /** Where the next page starts; null: this was the last one. */
  cursor: string | null;
  /**
   * Number of members of the vendor's answers that could not be read as entries, zero where it is absent. The last page
   * of an opened source has the number of the whole listing. Such a listing does not show what has vanished.
   */
  leftOut?: number;
}

export interface SourceContent {
  body: AsyncIterable<Uint8Array>;
  /** Of these very bytes, which may be newer than the listing; null where the source does not say. */
  version: string | null;
  contentType: string | null;
}

/**
 * A system that files are read from. Methods reject with SourceError; a page and its cursor outlive the
 * process, so that a listing of any length goes on where it was interrupted. What opened it may be over when a
 * method is called: an implementation keeps no stream, answer or promise from one call to the next.
 */
export interface Source {
  list(cursor: string | null): Promise<SourcePage>;
  /** Undefined: it is no longer there. */
  read(id: string): Promise<SourceContent | undefined>;
}

/** What holds for all sources of a kind. */
export interface SourceCapabilities {
  /** Equal versions mean equal bytes, whatever the entry: a new id with a vanished one's version is a rename. */
  versionNamesContent: boolean;
  /** Entries say who may see them, unless the settings ask for less. */
  permissions: boolean;
  /** Entries have an address for browsers. */
  webUrls: boolean;
}

/** A data source refused or failed. */
export class SourceError extends Upstream {
  override readonly name = 'SourceError';
}

/** Everything in a source, page by page. */
export async function* entriesOf(source: Source): AsyncGenerator<SourceEntry> {
  let cursor: string | null = null;
  do {
    const page: SourcePage = await source.list(cursor);
    yield* page.entries;
    cursor = page.cursor;
  } while (cursor !== null);
}
