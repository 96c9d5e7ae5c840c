import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { qdrantStore } from '#src/sinks/qdrant/store.ts';
import { namingNone, opening } from './external-index.ts';

export const QDRANT = {
  api_key: 'key-of-the-vendor',
  collection_name: 'shared by all indexes',
  url: 'https://vectors.test',
  max_retries: 0,
};
export const QDRANT_VENDOR = { vendor: 'qdrant', base: 'https://vectors.test:6333' };

export const openQdrant = opening(qdrant, () => QDRANT);

/** The same, whose store is told in its own terms what filters let through, however few documents that are. */
export const openNarrowed = opening(namingNone(qdrant, qdrantStore), () => QDRANT);
