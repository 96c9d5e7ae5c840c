import type { EmbeddingType } from './definition.ts';

/** What people call each type, in words that name no vendor. */
export const EMBEDDING_TITLES: Readonly<Record<EmbeddingType, string>> = {
  PROVIDER_A_EMBEDDING: 'Cloud-hosted deployment of a commercial model',
  PROVIDER_B_EMBEDDING: 'Cloud-managed model service',
  PROVIDER_C_EMBEDDING: 'API with a key, told documents from queries',
  PROVIDER_D_EMBEDDING: 'API with a key, told what the vectors are for',
  PROVIDER_E_EMBEDDING: 'Model-hub inference API',
  PROVIDER_F_EMBEDDING: 'Default of the installation',
  PROVIDER_G_EMBEDDING: 'Standard hosted API',
  PROVIDER_H_EMBEDDING: 'Cloud machine-learning platform',
};
