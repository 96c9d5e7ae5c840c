import { Upstream } from '#src/lib/errors.ts';

/** Entry in the listing of a data source that can become a file. */
export interface SourceEntry {
  /** Stable id of the entry within its data source, such as an object key. */
  id: string;
  /** File name with an extension. The extension helps to detect the file format. */
  name: string;
  /** Readable path of folder names and the file name. Nodes carry it as the metadata `file_path`. */
  path: string;
  size: number | null;
  /**
   * Version string of the content, such as an ETag or a revision. It changes whenever the content changes.
   */
  version: string;
  modifiedAt: Date | null;
  /** URL that opens the entry in a browser. Nodes carry it as the metadata `web_url`. */
  webUrl: string | null;
  /**
   * Permissions of the entry, as the data source reports them. They are stored as the file's
   * `permission_info`.
   */
  permissions: Record<string, unknown> | null;
  /**
   * Other metadata from the data source. With the path and URL, they are stored as the file's
   * `resource_info`.
   */
  metadata: Record<string, unknown>;
}

export interface SourcePage {
  entries: SourceEntry[];
  /** Cursor that requests the next page of the listing, or null if this page is the last one. */
  cursor: string | null;
  /**
   * Number of listed entries that could not be read, or absent if there were none. The last page of a listing
   * contains the number for the whole listing. If it is not zero, entries that are missing from the listing
   * may still exist.
   */
  leftOut?: number;
}

export interface SourceContent {
  body: AsyncIterable<Uint8Array>;
  /**
   * Version of the returned content, which may be newer than the version in the listing. Null if the data
   * source does not report it.
   */
  version: string | null;
  contentType: string | null;
}

/**
 * Content system from which files are read. All methods reject with SourceError. Pages and cursors can be
 * stored, so that a long listing continues after an interruption. An implementation must not keep streams,
 * responses or promises between calls, because the request that opened them may have ended.
 */
export interface Source {
  list(cursor: string | null): Promise<SourcePage>;
  /** Returns the content of an entry, or `undefined` if the entry no longer exists. */
  read(id: string): Promise<SourceContent | undefined>;
}

/** Capabilities that all data sources of one type share. */
export interface SourceCapabilities {
  /**
   * True if equal versions mean equal content, even for different entries. A new entry with the version of a
   * vanished entry is then treated as a renamed file.
   */
  versionNamesContent: boolean;
  /** True if the data source reports permissions of entries, unless its settings turn them off. */
  permissions: boolean;
  webUrls: boolean;
}

export class SourceError extends Upstream {
  override readonly name = 'SourceError';
}

export async function* listEntries(source: Source): AsyncGenerator<SourceEntry> {
  let cursor: string | null = null;
  do {
    const page: SourcePage = await source.list(cursor);
    yield* page.entries;
    cursor = page.cursor;
  } while (cursor !== null);
}
