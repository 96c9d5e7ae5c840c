import { z } from 'zod';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { readSettings, readVariable, type Variable } from '#src/models/definition/variables.ts';
import type { Settings } from '#src/settings/settings.ts';
import { type RerankingConfig, rerankers } from './registry.ts';

/** Kinds of rerankers that requests may choose by name and that the variable RERANK_MODELS configures. */
const NAMED_KINDS = ['bedrock', 'cohere'] as const;
export type NamedRerankerKind = (typeof NAMED_KINDS)[number];

export interface ConfiguredRerankers {
  /** Reranker for requests that do not choose one. */
  defaultReranker: RerankingConfig;
  byKind: Partial<Record<NamedRerankerKind, RerankingConfig>>;
  /**
   * Errors in the environment variables that configure rerankers. Each error names the wrong field but no
   * value.
   */
  problems: string[];
}

type RerankSettings = Pick<Settings, 'RERANK_MODEL' | 'RERANK_BASE_URL' | 'RERANK_API_KEY' | 'RERANK_MODELS'>;

const definitions = z.partialRecord(z.enum(NAMED_KINDS), z.record(z.string(), z.unknown()));

/** Parses the rerankers that the environment variables configure. */
export function readConfiguredRerankers(
  settings: RerankSettings,
  bindings: ModelDeps['bindings'],
  variable: Variable,
): ConfiguredRerankers {
  const problems: string[] = [];
  const byKind: ConfiguredRerankers['byKind'] = {};
  const defaultReranker = chooseStandard(settings, bindings);
  if (defaultReranker.kind === 'cohere') byKind.cohere = defaultReranker;
  const given = readVariable('RERANK_MODELS', settings.RERANK_MODELS, definitions, problems) ?? {};
  for (const kind of NAMED_KINDS) {
    if (!given[kind]) continue;
    const checked = readSettings(rerankers[kind].settings, given[kind], `RERANK_MODELS.${kind}`, {
      variable,
      problems,
    });
    if (checked) byKind[kind] = { kind, settings: checked };
  }
  return { defaultReranker, byKind, problems };
}

/**
 * Returns the operator's reranker: a Workers AI model (`@cf/…`) if the binding exists, otherwise a model
 * behind an endpoint with Cohere's protocol, otherwise the built-in reranker.
 */
function chooseStandard(settings: RerankSettings, { AI }: ModelDeps['bindings']): RerankingConfig {
  const { RERANK_MODEL: model, RERANK_BASE_URL: base_url, RERANK_API_KEY: api_key } = settings;
  if (model?.startsWith('@cf/') && AI) return { kind: 'workers_ai', settings: { model } };
  if (!model || !base_url) return { kind: 'builtin', settings: {} };
  return { kind: 'cohere', settings: { model, base_url, ...(api_key && { api_key }) } };
}
