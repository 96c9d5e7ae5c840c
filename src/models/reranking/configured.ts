import { z } from 'zod';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { readSettings, readVariable, type Variable } from '#src/models/definition/variables.ts';
import type { Settings } from '#src/settings/settings.ts';
import { type RerankingConfig, rerankers } from './registry.ts';

/** Kinds that a request may name and that RERANK_MODELS configures. */
const NAMED_KINDS = ['bedrock', 'cohere'] as const;
export type NamedRerankerKind = (typeof NAMED_KINDS)[number];

export interface ConfiguredRerankers {
  /** What orders results where nothing else is asked for. */
  standard: RerankingConfig;
  byKind: Partial<Record<NamedRerankerKind, RerankingConfig>>;
  /** What is wrong with the variables, each with its member and without a value. */
  problems: string[];
}

type RerankSettings = Pick<Settings, 'RERANK_MODEL' | 'RERANK_BASE_URL' | 'RERANK_API_KEY' | 'RERANK_MODELS'>;

const definitions = z.partialRecord(z.enum(NAMED_KINDS), z.record(z.string(), z.unknown()));

/** Which rerankers this installation has, as its variables say. */
export function configuredRerankers(
  settings: RerankSettings,
  bindings: ModelDeps['bindings'],
  variable: Variable,
): ConfiguredRerankers {
  const problems: string[] = [];
  const byKind: ConfiguredRerankers['byKind'] = {};
  const standard = standardOf(settings, bindings);
  if (standard.kind === 'cohere') byKind.cohere = standard;
  const given = readVariable('RERANK_MODELS', settings.RERANK_MODELS, definitions, problems) ?? {};
  for (const kind of NAMED_KINDS) {
    if (!given[kind]) continue;
    const checked = readSettings(rerankers[kind].settings, given[kind], `RERANK_MODELS.${kind}`, {
      variable,
      problems,
    });
    if (checked) byKind[kind] = { kind, settings: checked };
  }
  return { standard, byKind, problems };
}

/**
 * The operator's reranker: a Workers AI model (`@cf/…`) where the binding is there, else a model behind an endpoint
 * that speaks Cohere's rerank protocol, else the built-in one.
 */
function standardOf(settings: RerankSettings, { AI }: ModelDeps['bindings']): RerankingConfig {
  const { RERANK_MODEL: model, RERANK_BASE_URL: base_url, RERANK_API_KEY: api_key } = settings;
  if (model?.startsWith('@cf/') && AI) return { kind: 'workers_ai', settings: { model } };
  if (!model || !base_url) return { kind: 'builtin', settings: {} };
  return { kind: 'cohere', settings: { model, base_url, ...(api_key && { api_key }) } };
}
