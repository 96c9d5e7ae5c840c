import { z } from 'zod';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { readSettings, readVariable, type Variable } from '#src/models/definition/variables.ts';
import { BUILTIN, LANGUAGE_USES, type LanguageUse, type Prices } from '#src/ports/language-model.ts';
import type { Settings } from '#src/settings/settings.ts';
import type { LanguageDefinition } from './definition.ts';
import { LANGUAGE_KINDS, type LanguageConfig, type LanguageKind, languageModels } from './registry.ts';
import { DEFAULT_WORKERS_AI_MODEL } from './workers-ai.ts';

export type NamedModel = LanguageConfig & { prices?: Prices | undefined };

/** Language models of this installation, as its environment variables define them. */
export interface NamedModels {
  byName: ReadonlyMap<string, NamedModel>;
  /**
   * Default model of each use, such as chat. It applies if neither the caller nor the project chooses a
   * model.
   */
  defaults: Partial<Record<LanguageUse, NamedModel>>;
  /**
   * Errors in the environment variables that define language models. Each error names the wrong field and
   * never quotes a value.
   */
  problems: string[];
}

/** Name of the installation's only language model if the variable LLM_MODELS is not set. */
const DEFAULT_NAME = 'LLM_MODEL_01';
/** Uses for which Workers AI is the default if no language model is configured. */
const WORKERS_AI_USES: LanguageUse[] = ['chat', 'extract', 'classify'];

const name = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'a name may contain letters, digits, dots, dashes and underscores')
  .refine((given) => given !== BUILTIN, 'is a reserved name');
const price = z.number().min(0);
const modelsSchema = z.record(
  name,
  z.looseObject({
    provider: z.enum(LANGUAGE_KINDS),
    prices: z.strictObject({ input: price, output: price }).optional(),
  }),
);
const defaultsSchema = z.partialRecord(z.enum(LANGUAGE_USES), z.string());

/**
 * Parses the language models of the installation. `variable` reads the environment variables to which
 * settings refer as `{"variable": "NAME"}`.
 */
export function readNamedModels(
  settings: Pick<Settings, 'LLM_MODELS' | 'LLM_DEFAULTS' | 'LLM_BASE_URL' | 'LLM_API_KEY' | 'LLM_MODEL'>,
  bindings: ModelDeps['bindings'],
  variable: Variable,
): NamedModels {
  const problems: string[] = [];
  const byName = new Map<string, NamedModel>();
  const endpoint = findEndpoint(settings);
  const first = endpoint ?? findWorkersAi(bindings);
  if (first) byName.set(DEFAULT_NAME, first);
  const given = readVariable('LLM_MODELS', settings.LLM_MODELS, modelsSchema, problems) ?? {};
  for (const [key, { provider, prices, ...rest }] of Object.entries(given)) {
    const at = `LLM_MODELS.${key}`;
    const driver: LanguageDefinition = languageModels[provider];
    const settings = readSettings(driver.settings, rest, at, { variable, problems });
    if (settings) byName.set(key, { kind: provider, settings, prices });
    if (provider === 'workers_ai' && !bindings.AI) problems.push(`${at}: the Workers AI binding is missing`);
  }
  const defaults: NamedModels['defaults'] = {};
  if (endpoint) for (const use of LANGUAGE_USES) defaults[use] = endpoint;
  else if (first) for (const use of WORKERS_AI_USES) defaults[use] = first;
  const chosen = readVariable('LLM_DEFAULTS', settings.LLM_DEFAULTS, defaultsSchema, problems) ?? {};
  for (const [use, named] of Object.entries(chosen) as [LanguageUse, string][]) {
    const config = byName.get(named);
    if (named === BUILTIN) delete defaults[use];
    else if (config) defaults[use] = config;
    else if (!(named in given)) problems.push(`LLM_DEFAULTS.${use}: is not a model of LLM_MODELS`);
  }
  return { byName, defaults, problems };
}

function findEndpoint({
  LLM_BASE_URL: base_url,
  LLM_API_KEY: api_key,
  LLM_MODEL: model,
}: Pick<Settings, 'LLM_BASE_URL' | 'LLM_API_KEY' | 'LLM_MODEL'>): LanguageConfig | undefined {
  if (!base_url || !model) return undefined;
  return { kind: 'openai_compatible', settings: { base_url, model, ...(api_key && { api_key }) } };
}

const findWorkersAi = ({ AI }: ModelDeps['bindings']): LanguageConfig | undefined =>
  AI && { kind: 'workers_ai' satisfies LanguageKind, settings: { model: DEFAULT_WORKERS_AI_MODEL } };
