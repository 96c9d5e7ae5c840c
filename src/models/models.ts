import type { LanguageModel } from 'ai';
import type { Logger } from '#src/lib/log.ts';
import type { Settings } from '#src/settings.ts';
import type { ModelDeps } from './definition.ts';
import { operatorDeps, tenantDeps } from './deps.ts';
import { tryEmbedder } from './embedding/definition.ts';
import type { Embedder, EmbeddingConfig } from './embedding/embedder.ts';
import { managedModels } from './embedding/managed.ts';
import { checkEmbedder, MANAGED_TYPE, openEmbedder } from './embedding/registry.ts';
import type { LanguageUse } from './language/language-model.ts';
import { configuredLanguage, openLanguageModel } from './language/registry.ts';
import { configuredReranking, openReranker, type RerankingConfig } from './reranking/registry.ts';
import type { Reranker } from './reranking/reranker.ts';

/**
 * The models of this installation, as services see them: they name what they need, and read no setting of it. What
 * reads scanned pages is the parser Worker's: src/models/ocr/configured.ts.
 */
export interface Models {
  /** Undefined when no language model is configured: the built-in part does the work. */
  language(use: LanguageUse): LanguageModel | undefined;
  /**
   * Throws Conflict when this installation cannot run the configuration, whose secrets are open. The managed type is
   * the installation's default, or what the configuration says that it stands for.
   */
  embedding(config: EmbeddingConfig): Embedder;
  /** What a configuration's vectors depend on besides itself: which model the managed type stands for at present. */
  standsFor(type: string): string | undefined;
  /** Tries a configuration and says how it answered. Rejects with a DomainError that says what is wrong with it. */
  checkEmbedding(config: EmbeddingConfig): Promise<string>;
  /** The operator's reranker, or the built-in one, unless another is asked for. */
  reranking(config?: RerankingConfig): Reranker;
}

export function createModels(settings: Settings, bindings: ModelDeps['bindings'], log: Logger): Models {
  const installation = { settings, bindings, log };
  const operator = operatorDeps(installation);
  const tenant = tenantDeps(installation);
  const managed = managedModels(settings, operator);
  const embedding = (config: EmbeddingConfig) =>
    config.type === MANAGED_TYPE
      ? managed.open(config.standsFor ?? managed.default, config.component)
      : openEmbedder(config, tenant);
  return {
    language(use) {
      const config = configuredLanguage(settings);
      return config && openLanguageModel(config, use, operator);
    },
    embedding,
    standsFor: (type) => (type === MANAGED_TYPE ? managed.default : undefined),
    checkEmbedding: async (config) =>
      config.type === MANAGED_TYPE ? tryEmbedder(embedding(config)) : checkEmbedder(config, tenant),
    reranking: (config = configuredReranking(settings, bindings)) => openReranker(config, operator),
  };
}
