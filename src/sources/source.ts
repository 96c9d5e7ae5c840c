import type { Settings } from '#src/env.ts';
import { Upstream } from '#src/errors.ts';

/** One thing in a data source that can become a file. */
export interface SourceEntry {
  /** Names it within its source for as long as it is there: an object key, an item id. */
  id: string;
  /** A file name with an extension: parsers are chosen by it. */
  name: string;
  /** Bytes, where the listing tells. */
  size: number | null;
  /** Differs whenever the content does: an ETag, a revision. */
  version: string;
  modifiedAt: Date | null;
  /** Becomes the file's `resource_info`: where it is, who wrote it, its address. */
  metadata: Record<string, unknown>;
}

export interface SourcePage {
  entries: SourceEntry[];
  /** Where the next page starts; null: this was the last one. */
  cursor: string | null;
}

export interface SourceContent {
  body: AsyncIterable<Uint8Array>;
  /** Of these very bytes, which may be newer than the listing; null where the source does not say. */
  version: string | null;
  contentType: string | null;
}

/**
 * A system that files are read from. Methods reject with SourceError; a page and its cursor outlive the
 * process, so that a listing of any length goes on where it was interrupted.
 */
export interface Source {
  /** Equal versions mean equal bytes, whatever the entry: a new id with a vanished one's version is a rename. */
  readonly versionNamesContent: boolean;
  list(cursor: string | null): Promise<SourcePage>;
  /** Undefined: it is no longer there. */
  fetch(id: string): Promise<SourceContent | undefined>;
  /** Resolves when the settings work. */
  check(): Promise<void>;
}

/** Opens a source. `component` has been validated and its secrets opened. */
export type SourceDriver<Component> = (component: Component, settings: SourceSettings) => Source;

export type SourceSettings = Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES' | 'SILENCE_SECONDS'>;

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
