import { Upstream } from '#src/lib/errors.ts';

/** An item of a data source that can become a file. */
export interface SourceEntry {
  /** Stable id of the item within its source, such as an object key or an item id. */
  id: string;
  /** File name with an extension. The extension helps to choose the parser. */
  name: string;
  /** Path for people, made of folder names and the file name. It becomes the node metadata `file_path`. */
  path: string;
  /** Size in bytes, or null if the listing does not state it. */
  size: number | null;
  /** Version that changes whenever the content changes, such as an ETag or a revision. */
  version: string;
  modifiedAt: Date | null;
  /** Address at which people open the item in a browser. It becomes the node metadata `web_url`. */
  webUrl: string | null;
  /** Permissions as the source reports them. They become the file's `permission_info`. */
  permissions: Record<string, unknown> | null;
  /**
   * Further metadata from the source. Together with path and address it becomes the file's `resource_info`.
   */
  metadata: Record<string, unknown>;
}

export interface SourcePage {
  entries: SourceEntry[];
  /** Cursor of the next page, or null if this is the last page. */
  cursor: string | null;
  /**
   * Number of listed members that could not be read as entries. Absent means zero. The last page of a source
   * carries the number for the whole listing. If it is not zero, the listing cannot show which entries have
   * vanished.
   */
  leftOut?: number;
}

export interface SourceContent {
  body: AsyncIterable<Uint8Array>;
  /**
   * Version of the returned bytes, which may be newer than the listing. Null if the source does not report
   * it.
   */
  version: string | null;
  contentType: string | null;
}

/**
 * A system from which files are read. Methods reject with SourceError. A page and its cursor outlive the
 * process, so that a long listing continues after an interruption. An implementation keeps no stream,
 * response or promise between calls, because the request that opened it may have ended.
 */
export interface Source {
  list(cursor: string | null): Promise<SourcePage>;
  /** Returns the content of an entry, or undefined if the entry no longer exists. */
  read(id: string): Promise<SourceContent | undefined>;
}

/** Capabilities that all sources of a kind share. */
export interface SourceCapabilities {
  /**
   * Whether equal versions mean equal bytes, even for different entries. A new id with the version of a
   * vanished entry is then a rename.
   */
  versionNamesContent: boolean;
  /** Whether entries carry permissions, unless the settings turn them off. */
  permissions: boolean;
  /** Whether entries carry a browser address. */
  webUrls: boolean;
}

/** Failure or refusal of a data source. */
export class SourceError extends Upstream {
  override readonly name = 'SourceError';
}

/** Yields every entry of a source, reading it page by page. */
export async function* entriesOf(source: Source): AsyncGenerator<SourceEntry> {
  let cursor: string | null = null;
  do {
    const page: SourcePage = await source.list(cursor);
    yield* page.entries;
    cursor = page.cursor;
  } while (cursor !== null);
}
