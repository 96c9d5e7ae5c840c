import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { createQdrantStore } from '#src/sinks/qdrant/store.ts';
import { namingNone } from './external-index.ts';
import { httpStoreSuite } from './http-store-suite.ts';
import { QDRANT, QDRANT_VENDOR } from './qdrant-index.ts';

httpStoreSuite({
  driver: qdrant,
  narrowed: namingNone(qdrant, createQdrantStore),
  component: QDRANT,
  vendors: [QDRANT_VENDOR],
});
