import { packTitleTerms } from './search-shard/postings/title-postings.ts';
import type { Upgrade } from './storage-upgrades.ts';

/**
 * Tables of a search shard. A version is one rewrite of a document. Its chunks are invisible until the
 * version is published.
 * Each chunk has a 16-bit local id within the shard. An id is reused only after all postings with this id are
 * gone.
 */
const CHANGES: Upgrade['changes'][] = [
  [
    'CREATE TABLE setting (name TEXT PRIMARY KEY, value) WITHOUT ROWID',
    `CREATE TABLE version (
       key INTEGER PRIMARY KEY AUTOINCREMENT,
       document_id TEXT NOT NULL,
       version INTEGER NOT NULL,
       published INTEGER NOT NULL DEFAULT 0,
       whole INTEGER,
       title TEXT NOT NULL,
       metadata TEXT NOT NULL,
       UNIQUE (document_id, version)
     )`,
    'CREATE INDEX version_by_published ON version (published)',
    // If a document spans several shards, the first shard stores the total number of chunks and the others
    // store 0.
    'CREATE INDEX version_by_whole ON version (document_id) WHERE whole > 0',
    // Tombstones of removed documents, so that late writes cannot restore the documents.
    'CREATE TABLE tombstone (document_id TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID',

    // Replaced or removed versions whose data is deleted later by upkeep.
    'CREATE TABLE dead_version (key INTEGER PRIMARY KEY)',

    // Chunks. The table `chunk` holds the data that is read whenever the object wakes up. The table `content`
    // holds the rest. `length` is the number of words. For a chunk with weights of a learned sparse model it is the
    // largest weight, which SQLite stores as a fraction.
    'CREATE TABLE language (number INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE)',
    `CREATE TABLE chunk (
       local INTEGER PRIMARY KEY,
       version_key INTEGER NOT NULL,
       position INTEGER NOT NULL,
       id TEXT NOT NULL,
       length INTEGER NOT NULL,
       language INTEGER NOT NULL,
       UNIQUE (version_key, position)
     )`,
    `CREATE TABLE content (
       local INTEGER PRIMARY KEY,
       text TEXT NOT NULL,
       headings TEXT NOT NULL,
       start_char INTEGER NOT NULL,
       end_char INTEGER NOT NULL,
       start_page INTEGER,
       end_page INTEGER,
       hash TEXT NOT NULL,
       previous_id TEXT,
       next_id TEXT
     )`,
    // Local ids of deleted chunks that old postings may still contain. `leaving` marks chunks that the
    // current merge removes from the postings.
    'CREATE TABLE retired (local INTEGER PRIMARY KEY, leaving INTEGER NOT NULL DEFAULT 0)',

    // Exact vectors by chunk, and quantized codes in segments. Recent chunks are not yet part of a segment.
    'CREATE TABLE vec (local INTEGER PRIMARY KEY, value BLOB NOT NULL)',
    'CREATE TABLE code_segment (segment INTEGER PRIMARY KEY, codes BLOB NOT NULL, scales BLOB NOT NULL)',

    // Postings. Each staging call writes one blob. Upkeep merges blobs into sorted runs of blocks, and small
    // runs into larger ones.
    `CREATE TABLE recent_batch (
       number INTEGER PRIMARY KEY AUTOINCREMENT,
       chunks INTEGER NOT NULL,
       locals TEXT NOT NULL,
       postings BLOB NOT NULL
     )`,
    `CREATE TABLE posting_run (
       run INTEGER PRIMARY KEY AUTOINCREMENT,
       chunks INTEGER NOT NULL,
       state TEXT NOT NULL
     )`,
    // State of the current merge: its target, its sources and the last merged term.
    'CREATE TABLE posting_merge (target INTEGER PRIMARY KEY, sources TEXT NOT NULL, after TEXT NOT NULL)',
    `CREATE TABLE posting_block (
       run INTEGER NOT NULL,
       first_term TEXT NOT NULL,
       body BLOB NOT NULL,
       PRIMARY KEY (run, first_term)
     )`,

    // Document data: terms of titles and keywords, and metadata values for filters.
    `CREATE TABLE title_term (
       term TEXT NOT NULL,
       version_key INTEGER NOT NULL,
       frequency INTEGER NOT NULL,
       PRIMARY KEY (term, version_key)
     ) WITHOUT ROWID`,
    'CREATE INDEX title_term_by_version ON title_term (version_key)',
    `CREATE TABLE filter_value (
       key TEXT NOT NULL,
       value NOT NULL,
       version_key INTEGER NOT NULL,
       PRIMARY KEY (key, value, version_key)
     ) WITHOUT ROWID`,
    'CREATE INDEX filter_value_by_version ON filter_value (version_key)',
  ],
  ['CREATE INDEX content_by_page ON content (start_page, end_page)'],
  ["ALTER TABLE version ADD COLUMN keywords TEXT NOT NULL DEFAULT ''"],
  // Document versions whose vectors still have to be deleted from the external store. A row is removed once
  // the store confirms the deletion.
  ['CREATE TABLE owed (document_id TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID'],
  ['CREATE INDEX chunk_by_id ON chunk (id)'],
  // Path of the file inside the document, for chunks of archive members and attachments.
  ['ALTER TABLE content ADD COLUMN member TEXT'],
  // Terms of titles and keywords, packed into blocks. With one row per term, a query would have to read more
  // rows.
  [
    `CREATE TABLE title_block (
       term TEXT NOT NULL,
       number INTEGER NOT NULL,
       body BLOB NOT NULL,
       PRIMARY KEY (term, number)
     ) WITHOUT ROWID`,
    'CREATE TABLE title (version_key INTEGER PRIMARY KEY, terms TEXT NOT NULL)',
    packTitleTerms,
    'DROP TABLE title_term',
  ],
];

/**
 * Steps that upgrade the tables of older shards. Steps that drop tables were written before the first
 * release, so no released version is affected.
 */
export const SHARD_UPGRADES: readonly Upgrade[] = CHANGES.map((changes) => ({ changes }));
