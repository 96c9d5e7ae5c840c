import { packTitleTerms } from './search-shard/postings/title-postings.ts';
import type { Upgrade } from './storage-upgrades.ts';

/**
 * The tables of a search shard. A version is one rewrite of a document: its chunks are invisible until it is
 * published. Inside the shard a chunk is known by 16 bits, its local id, which is used again only after every
 * posting that mentions it is gone.
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
    // Documents in several shards: the first one keeps how many chunks there are in all, the others keep 0.
    'CREATE INDEX version_by_whole ON version (document_id) WHERE whole > 0',
    // Removed documents: what was still on its way when they were removed must not bring them back.
    'CREATE TABLE tombstone (document_id TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID',

    // Versions that were replaced or removed, until upkeep has deleted what they left behind.
    'CREATE TABLE dead_version (key INTEGER PRIMARY KEY)',

    // Chunks: narrow rows for what every wake-up reads, the rest apart.
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
    // Deleted chunks whose local ids old postings may still mention. Leaving: the merge that is on drops them.
    'CREATE TABLE retired (local INTEGER PRIMARY KEY, leaving INTEGER NOT NULL DEFAULT 0)',

    // Vectors: exact ones by chunk, codes in segments. Recent chunks are in none yet.
    'CREATE TABLE vec (local INTEGER PRIMARY KEY, value BLOB NOT NULL)',
    'CREATE TABLE code_segment (segment INTEGER PRIMARY KEY, codes BLOB NOT NULL, scales BLOB NOT NULL)',

    // Postings: one blob for each staging call, later sorted into runs of blocks, later into larger runs.
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
    // The merge that is on: where it writes to, what it reads, and the last term it has done.
    'CREATE TABLE posting_merge (target INTEGER PRIMARY KEY, sources TEXT NOT NULL, after TEXT NOT NULL)',
    `CREATE TABLE posting_block (
       run INTEGER NOT NULL,
       first_term TEXT NOT NULL,
       body BLOB NOT NULL,
       PRIMARY KEY (run, first_term)
     )`,

    // What belongs to documents: terms of titles and keywords, values that filters look for.
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
  // What the store that holds the vectors is to be rid of, until it has said that it is.
  ['CREATE TABLE owed (document_id TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID'],
  // Nodes are read by their ids alone.
  ['CREATE INDEX chunk_by_id ON chunk (id)'],
  // Of chunks of a file inside the document: its path.
  ['ALTER TABLE content ADD COLUMN member TEXT'],
  // Terms of titles by the block, where each had a row: what a query reads of them follows the blocks.
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

/** Those that dropped something are older than every release. */
export const SHARD_UPGRADES: readonly Upgrade[] = CHANGES.map((changes) => ({ changes }));
