import type { LanguageModel } from 'ai';
import { Conflict, Unavailable } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Embedder, EmbeddingConfig } from '#src/ports/embedder.ts';
import type { LanguageUse, OwnModel, OwnProblem, Prices } from '#src/ports/language-model.ts';
import type { Reranker } from '#src/ports/reranker.ts';
import type { Settings } from '#src/settings/settings.ts';
import type { ModelDeps } from './definition/definition.ts';
import { operatorDeps, tenantDeps } from './definition/deps.ts';
import { managedModels } from './embedding/managed.ts';
import { checkEmbedder, MANAGED_TYPE, openEmbedder } from './embedding/registry.ts';
import { tryEmbedder } from './embedding/shared/definition.ts';
import { type NamedModels, namedModels } from './language/named.ts';
import { ownModel } from './language/own-model.ts';
import { openLanguageModel } from './language/registry.ts';
import {
  type ConfiguredRerankers,
  configuredRerankers,
  type NamedRerankerKind,
} from './reranking/configured.ts';
import { openReranker } from './reranking/registry.ts';

/**
 * The models of this installation, as services see them: they name what they need, and read no setting of it. What
 * reads scanned pages is the parser Worker's: src/models/ocr/configured.ts.
 */
export interface Models {
  /**
   * The model of that name, else the installation's own for the use; undefined when that is none, so that the built-in
   * part does the work. Throws Conflict for a name that no model has, Unavailable when the variables are wrong.
   */
  language(use: LanguageUse, name?: string | null): LanguageModel | undefined;
  /** What a million tokens of that model cost; undefined where the operator says nothing of it. */
  languagePrices(use: LanguageUse, name?: string | null): Prices | undefined;
  /** A caller's own model, which is called as what tenants set is; or why it cannot be. */
  ownLanguage(use: LanguageUse, own: OwnModel): LanguageModel | OwnProblem;
  /** The names that models have here. */
  languageNames(): string[];
  /** What is wrong with the variables of models, each with its member and without a value. */
  problems(): string[];
  /**
   * Throws Conflict when this installation cannot run the configuration, whose secrets are open. The managed type is
   * the installation's default, or what the configuration says that it stands for.
   */
  embedding(config: EmbeddingConfig): Embedder;
  /** What a configuration's vectors depend on besides itself: which model the managed type stands for at present. */
  standsFor(type: string): string | undefined;
  /** The model of pipelines that name none. */
  readonly defaultEmbedding: string;
  /** Tries a configuration and says how it answered. Rejects with a DomainError that says what is wrong with it. */
  checkEmbedding(config: EmbeddingConfig): Promise<string>;
  /** The operator's reranker, or the built-in one. */
  reranking(): Reranker;
  /** The reranker of that kind, or of that language model; undefined when this installation has none. */
  namedReranking(kind: NamedRerankerKind | LanguageModel): Reranker | undefined;
}

/** Read once for each set of variables. */
const known = new WeakMap<Settings, { language: NamedModels; reranking: ConfiguredRerankers }>();

export function createModels(settings: Settings, bindings: ModelDeps['bindings'], log: Logger): Models {
  const installation = { settings, bindings, log };
  const operator = operatorDeps(installation);
  const tenant = tenantDeps(installation);
  const configured = () => {
    const variable = variableOf(bindings);
    const models = known.get(settings) ?? {
      language: namedModels(settings, bindings, variable),
      reranking: configuredRerankers(settings, bindings, variable),
    };
    known.set(settings, models);
    return models;
  };
  const managed = managedModels(settings, operator);
  const embedding = (config: EmbeddingConfig) =>
    config.type === MANAGED_TYPE
      ? managed.open(config.standsFor ?? managed.default, config.component)
      : openEmbedder(config, tenant);
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
    languagePrices(use, name) {
      const { byName, defaults } = configured().language;
      return (name ? byName.get(name) : defaults[use])?.prices;
    },
    ownLanguage(use, own) {
      const config = ownModel(own, configured().language.byName);
      return 'problem' in config ? config : openLanguageModel(config, use, tenant);
    },
    languageNames: () => [...configured().language.byName.keys()].toSorted(),
    problems() {
      const { language, reranking } = configured();
      return [...language.problems, ...reranking.problems];
    },
    embedding,
    standsFor: (type) => (type === MANAGED_TYPE ? managed.default : undefined),
    defaultEmbedding: managed.defaultModel,
    checkEmbedding: async (config) =>
      config.type === MANAGED_TYPE ? tryEmbedder(embedding(config)) : checkEmbedder(config, tenant),
    reranking: () => openReranker(configured().reranking.standard, operator),
    namedReranking(kind) {
      if (typeof kind === 'object') {
        return openReranker({ kind: 'language_model', settings: { model: kind } }, operator);
      }
      const config = configured().reranking.byKind[kind as NamedRerankerKind];
      return config && openReranker(config, operator);
    },
  };
}

/** Variables and bindings are members of one object; texts are variables. */
function variableOf(environment: object): (name: string) => string | undefined {
  return (name) => {
    const value: unknown = Object.hasOwn(environment, name) ? Reflect.get(environment, name) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
}
