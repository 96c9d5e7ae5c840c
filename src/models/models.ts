import type { LanguageModel } from 'ai';
import { Conflict, Unavailable } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Embedder, EmbeddingConfig, SparseEmbedder } from '#src/ports/embedder.ts';
import type { CallerModel, CallerModelProblem, LanguageUse, Prices } from '#src/ports/language-model.ts';
import type { Reranker } from '#src/ports/reranker.ts';
import type { Settings } from '#src/settings/settings.ts';
import type { ModelDeps } from './definition/definition.ts';
import { createOperatorDeps, createTenantDeps } from './definition/deps.ts';
import { createManagedModels } from './embedding/managed.ts';
import { checkEmbedder, MANAGED_TYPE, openEmbedder } from './embedding/registry.ts';
import { testEmbedder } from './embedding/shared/definition.ts';
import { createSparseEmbedder } from './embedding/sparse.ts';
import { type NamedModels, readNamedModels } from './language/named.ts';
import { resolveOwnModel } from './language/own-model.ts';
import { languageModels, openLanguageModel } from './language/registry.ts';
import {
  type ConfiguredRerankers,
  type NamedRerankerKind,
  readConfiguredRerankers,
} from './reranking/configured.ts';
import { openReranker } from './reranking/registry.ts';

/**
 * Models of this installation. Services request a model by its use and do not read model settings. The OCR
 * model is not included, because the parser Worker opens it in src/models/ocr/configured.ts.
 */
export interface Models {
  /**
   * Returns the language model with the given name, or else the default model for the use. Returns
   * `undefined` if there is none, so that callers use the built-in method. Throws `Conflict` for an unknown
   * name, and `Unavailable` if the variables are invalid.
   */
  language(use: LanguageUse, name?: string | null): LanguageModel | undefined;
  /**
   * Returns the prices of a language model per million tokens. Returns `undefined` if the operator has
   * configured no prices.
   */
  languagePrices(use: LanguageUse, name?: string | null): Prices | undefined;
  /** Returns the name of a language model's provider in exported traces. Returns `undefined` if there is no model. */
  languageProvider(use: LanguageUse, name?: string | null): string | undefined;
  /**
   * Opens a language model that the caller configured in the request, with the restrictions for tenants. If
   * the model cannot be used, returns the problem instead.
   */
  ownLanguage(use: LanguageUse, own: CallerModel): LanguageModel | CallerModelProblem;
  languageNames(): string[];
  /**
   * Returns the errors in the environment variables that configure models. Each error names the wrong field
   * but no value.
   */
  problems(): string[];
  /**
   * Opens an embedding model from a configuration with decrypted secrets. The managed type opens the model
   * recorded in the configuration, or else the installation's default. Throws `Conflict` if this installation
   * cannot run the configuration.
   */
  embedding(config: EmbeddingConfig): Embedder;
  /**
   * For the managed type, returns the installation's current embedding model, because vectors depend on it.
   * Returns `undefined` for other types.
   */
  standsFor(type: string): string | undefined;
  /** Learned sparse model of the installation. Undefined if the operator has configured none. */
  readonly sparseEmbedding: SparseEmbedder | undefined;
  /** Name of the embedding model for pipelines that do not choose one. */
  readonly defaultEmbedding: string;
  /**
   * Tests an embedding model config with one call and returns a description of the answer. Rejects with a
   * `DomainError` that says what is wrong.
   */
  checkEmbedding(config: EmbeddingConfig): Promise<string>;
  /** Returns the reranker that the operator configured, or the built-in reranker. */
  reranking(): Reranker;
  /**
   * Returns the configured reranker of the given kind. If a language model is given, returns a reranker that
   * uses it. Returns `undefined` if this installation has no reranker of the kind.
   */
  namedReranking(kind: NamedRerankerKind | LanguageModel): Reranker | undefined;
}

/** Parsed model configurations, cached for each set of environment variables. */
const configurations = new WeakMap<Settings, { language: NamedModels; reranking: ConfiguredRerankers }>();

export function createModels(settings: Settings, bindings: ModelDeps['bindings'], log: Logger): Models {
  const installation = { settings, bindings, log };
  const operator = createOperatorDeps(installation);
  const tenant = createTenantDeps(installation);
  const configured = () => {
    const variable = createVariableReader(bindings);
    const models = configurations.get(settings) ?? {
      language: readNamedModels(settings, bindings, variable),
      reranking: readConfiguredRerankers(settings, bindings, variable),
    };
    configurations.set(settings, models);
    return models;
  };
  const managed = createManagedModels(settings, operator);
  const embedding = (config: EmbeddingConfig) =>
    config.type === MANAGED_TYPE
      ? managed.open(config.standsFor ?? managed.default, config.component)
      : openEmbedder(config, tenant);
  const findLanguage = (use: LanguageUse, name?: string | null) => {
    const { byName, defaults } = configured().language;
    return name ? byName.get(name) : defaults[use];
  };
  return {
    language(use, name) {
      const { byName, defaults, problems } = configured().language;
      if (problems.length > 0) {
        throw new Unavailable(`The language models of this installation are misconfigured: ${problems[0]}.`);
      }
      const config = name ? byName.get(name) : defaults[use];
      if (name && !config) throw new Conflict(`This installation has no language model named ${name}.`);
      return config && openLanguageModel(config, use, operator);
    },
    languagePrices: (use, name) => findLanguage(use, name)?.prices,
    languageProvider(use, name) {
      const config = findLanguage(use, name);
      return config && languageModels[config.kind].telemetryName;
    },
    ownLanguage(use, own) {
      const config = resolveOwnModel(own, configured().language.byName);
      return 'problem' in config ? config : openLanguageModel(config, use, tenant);
    },
    languageNames: () => [...configured().language.byName.keys()].toSorted(),
    problems() {
      const { language, reranking } = configured();
      return [...language.problems, ...reranking.problems];
    },
    embedding,
    standsFor: (type) => (type === MANAGED_TYPE ? managed.default : undefined),
    sparseEmbedding: createSparseEmbedder(settings, operator),
    defaultEmbedding: managed.defaultModel,
    checkEmbedding: async (config) =>
      config.type === MANAGED_TYPE ? testEmbedder(embedding(config)) : checkEmbedder(config, tenant),
    reranking: () => openReranker(configured().reranking.defaultReranker, operator),
    namedReranking(kind) {
      if (typeof kind === 'object') {
        return openReranker({ kind: 'language_model', settings: { model: kind } }, operator);
      }
      const config = configured().reranking.byKind[kind as NamedRerankerKind];
      return config && openReranker(config, operator);
    },
  };
}

/**
 * Returns a function that reads environment variables. Variables and bindings are fields of the same object,
 * and only strings count as variables.
 */
function createVariableReader(environment: object): (name: string) => string | undefined {
  return (name) => {
    const value: unknown = Object.hasOwn(environment, name) ? Reflect.get(environment, name) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
}
