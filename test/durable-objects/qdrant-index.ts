import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { createQdrantStore } from '#src/sinks/qdrant/store.ts';
import { namingNone, opening } from './external-index.ts';

export const QDRANT = {
  api_key: 'key-of-the-vendor',
  collection_name: 'shared by all indexes',
  url: 'https://vectors.test',
  max_retries: 0,
};
export const QDRANT_VENDOR = { vendor: 'qdrant', base: 'https://vectors.test:6333' };

export const openQdrant = opening(qdrant, () => QDRANT);

/** Opens the same index with a store that receives metadata filters even if few documents match. */
export const openNarrowed = opening(namingNone(qdrant, createQdrantStore), () => QDRANT);
