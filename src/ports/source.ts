import { Upstream } from '#src/lib/errors.ts';

/** Item of a data source that can become a file. */
export interface SourceEntry {
  /** Stable id of the item within its source, such as an object key or an item id. */
  id: string;
  /** File name with an extension. The extension helps to choose the parser. */
  name: string;
  /**
   * Path that people read, made of folder names and the file name. It becomes the node metadata `file_path`.
   */
  path: string;
  /** Size in bytes, or null if the listing does not state it. */
  size: number | null;
  /** Version that changes whenever the content changes, such as an ETag or a revision. */
  version: string;
  modifiedAt: Date | null;
  /** URL that opens the item in a browser. It becomes the node metadata `web_url`. */
  webUrl: string | null;
  /** Permissions as the data source reports them. They become the file's `permission_info`. */
  permissions: Record<string, unknown> | null;
  /**
   * Further metadata from the data source. Together with path and URL it becomes the file's `resource_info`.
   */
  metadata: Record<string, unknown>;
}

export interface SourcePage {
  entries: SourceEntry[];
  /** Cursor of the next page, or null if this is the last page. */
  cursor: string | null;
  /**
   * Number of listed items that could not be read. Absent means zero. The last page of a data source contains
   * the number for the whole listing. If it is not zero, the listing does not prove that missing entries have
   * vanished.
   */
  leftOut?: number;
}

export interface SourceContent {
  body: AsyncIterable<Uint8Array>;
  /**
   * Version of the returned bytes, which may be newer than the listing. Null if the data source does not
   * report it.
   */
  version: string | null;
  contentType: string | null;
}

/**
 * System from which files are read. Methods reject with SourceError. A page and its cursor outlive the
 * process, so that a long listing continues after an interruption. An implementation keeps no stream,
 * response or promise between calls, because the request that opened it may have ended.
 */
export interface Source {
  list(cursor: string | null): Promise<SourcePage>;
  /** Returns the content of an entry, or undefined if the entry no longer exists. */
  read(id: string): Promise<SourceContent | undefined>;
}

/** Capabilities that all data sources of a type share. */
export interface SourceCapabilities {
  /**
   * True if equal versions mean equal bytes, even for different entries. A new id with the version of a
   * vanished entry is then treated as a rename.
   */
  versionNamesContent: boolean;
  /** True if entries have permissions, unless the settings turn them off. */
  permissions: boolean;
  /** True if entries have a URL that opens them in a browser. */
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
