import { NUMBERS, VALUES } from '#src/sinks/external/metadata-terms.ts';
import type { FieldMapping } from './wire.ts';

// Fields of an index. Both modes share an index: one that was made for one mode lacks only fields of the other.

/** Mapping of the fields of an index, by name, without the field of the vectors. */
export type Fields = Record<string, FieldMapping>;

/** Field with the terms of a chunk, separated by spaces. Each term is repeated by its frequency. */
export const WORDS = 'words';
/** Field with everything that a search returns of a chunk, as JSON. */
export const RECORD = 'record';
/** Field with the beginning of a chunk's node id, by which the chunk is found. */
export const NODE_KEY = 'node_key';

const keyword = { type: 'keyword' };
/** Text that is only stored. It may be longer than the longest term of a field that can be searched. */
const stored = { type: 'keyword', index: false, doc_values: false };

const common: Fields = {
  sluice_index: keyword,
  document_id: keyword,
  version: { type: 'long' },
  position: { type: 'integer' },
  [VALUES]: keyword,
  [NUMBERS]: keyword,
};

/** Fields of an index that has only the vectors of chunks. */
const POINT_FIELDS: Fields = {
  ...common,
  node_id: stored,
  title: { type: 'text' },
  text: { type: 'text' },
  metadata: stored,
  pages: stored,
};

/** Fields of an index that carries the whole search. Positions of words are not needed. */
const CHUNK_FIELDS: Fields = {
  ...common,
  [NODE_KEY]: keyword,
  [RECORD]: stored,
  [WORDS]: { type: 'text', analyzer: 'whitespace', index_options: 'freqs' },
};

export const getFields = ({ native_search }: { native_search?: boolean | null | undefined }): Fields =>
  native_search === true ? CHUNK_FIELDS : POINT_FIELDS;

/** Part of a search request: results contain the record only, without vectors and words. */
export const ONLY_RECORD = { includes: [RECORD] };
