import type { Removal } from '#src/ports/shard.ts';
import type { SinkStats } from '#src/ports/sink.ts';

/** State of a document in a ledger. */
export interface LedgerEntry {
  /** Visible version, or null. */
  version: number | null;
  /** Highest version that was removed, or -1. */
  removed: number;
  /** Number of chunks of the visible version. */
  chunks: number;
}

/** Number of chunks in one language, and of their words. */
export interface LanguageCounts {
  chunks: number;
  words: number;
}

/** Counts by ISO 639-1 code. The code of unknown languages is `und`. */
export type Languages = ReadonlyMap<string, LanguageCounts>;

/** Version that is complete in the store and may become visible. */
export interface CompleteVersion {
  documentId: string;
  version: number;
  chunks: number;
  /** Size of the chunks' texts in UTF-8 bytes. */
  bytes: number;
  languages: Languages;
  /** Whether the store may have chunks of earlier versions. */
  hasEarlier: boolean;
}

/**
 * Record of the versions that searches show, for an index whose texts, metadata, words and vectors are in a store
 * without transactions. A version becomes visible, or a document is removed, by one change of the ledger. The store
 * follows later, and searches leave out what it still has. `src/services/indexes/version-ledger.ts` implements the
 * ledger with D1.
 */
export interface VersionLedger {
  /** Returns the entries of documents. Unknown documents have none. */
  find(documentIds: string[]): Promise<Map<string, LedgerEntry>>;
  /**
   * Creates the missing entries of documents, and returns those that existed before. Called before the first chunk of a
   * version is written, so that chunks which are written but never published are found later.
   */
  open(documentIds: string[]): Promise<Map<string, LedgerEntry>>;
  /**
   * Makes versions visible, unless they were removed or replaced by newer ones. Returns the ids of the documents whose
   * given version is visible afterwards. Each document occurs once.
   */
  publish(versions: CompleteVersion[]): Promise<Set<string>>;
  /** Hides versions up to the given ones, and prevents them from being published. */
  remove(removals: Removal[]): Promise<void>;
  /** Returns documents of which the store may have chunks that must be deleted, and up to which version. */
  listLeftovers(limit: number): Promise<Removal[]>;
  /** Records chunks that the store must delete later. */
  recordLeftovers(removals: Removal[]): Promise<void>;
  /** Records that the store has no chunks up to the given versions any more. */
  settle(removals: Removal[]): Promise<void>;
  /** Returns the languages of all chunks that were ever published. */
  languages(): Promise<Languages>;
  stats(): Promise<SinkStats>;
  drop(): Promise<void>;
}
