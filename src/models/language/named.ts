import { z } from 'zod';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { readSettings, readVariable, type Variable } from '#src/models/definition/variables.ts';
import { BUILTIN, LANGUAGE_USES, type LanguageUse, type Prices } from '#src/ports/language-model.ts';
import type { Settings } from '#src/settings/settings.ts';
import type { LanguageDefinition } from './definition.ts';
import { LANGUAGE_KINDS, type LanguageConfig, type LanguageKind, languageModels } from './registry.ts';
import { DEFAULT_WORKERS_AI_MODEL } from './workers-ai.ts';

export type NamedModel = LanguageConfig & { prices?: Prices | undefined };

/** Language models of this installation, from its variables. */
export interface NamedModels {
  byName: ReadonlyMap<string, NamedModel>;
  /** Default model of each use, if neither caller nor project names one. */
  defaults: Partial<Record<LanguageUse, NamedModel>>;
  /** Errors in the variables with the path of the member, never with a value. */
  problems: string[];
}

/** Name of the installation's single model if LLM_MODELS names none. */
const FIRST_NAME = 'LLM_MODEL_01';
/** Uses of Workers AI if no model is configured. */
const WORKERS_AI_USES: LanguageUse[] = ['chat', 'extract', 'classify'];

const name = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'a name has letters, digits, dots, dashes and underscores')
  .refine((given) => given !== BUILTIN, 'is the name of no model');
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
 * Parses the models of the installation. `variable` reads variables for settings given as `{"variable":
 * "NAME"}`.
 */
export function namedModels(
  settings: Pick<Settings, 'LLM_MODELS' | 'LLM_DEFAULTS' | 'LLM_BASE_URL' | 'LLM_API_KEY' | 'LLM_MODEL'>,
  bindings: ModelDeps['bindings'],
  variable: Variable,
): NamedModels {
  const problems: string[] = [];
  const byName = new Map<string, NamedModel>();
  const one = endpointOf(settings);
  const first = one ?? workersAiOf(bindings);
  if (first) byName.set(FIRST_NAME, first);
  const given = readVariable('LLM_MODELS', settings.LLM_MODELS, modelsSchema, problems) ?? {};
  for (const [key, { provider, prices, ...rest }] of Object.entries(given)) {
    const at = `LLM_MODELS.${key}`;
    const driver: LanguageDefinition = languageModels[provider];
    const settings = readSettings(driver.settings, rest, at, { variable, problems });
    if (settings) byName.set(key, { kind: provider, settings, prices });
    if (provider === 'workers_ai' && !bindings.AI) problems.push(`${at}: Workers AI is not bound here`);
  }
  const defaults: NamedModels['defaults'] = {};
  if (one) for (const use of LANGUAGE_USES) defaults[use] = one;
  else if (first) for (const use of WORKERS_AI_USES) defaults[use] = first;
  const chosen = readVariable('LLM_DEFAULTS', settings.LLM_DEFAULTS, defaultsSchema, problems) ?? {};
  for (const [use, named] of Object.entries(chosen) as [LanguageUse, string][]) {
    const config = byName.get(named);
    if (named === BUILTIN) delete defaults[use];
    else if (config) defaults[use] = config;
    else if (!(named in given)) problems.push(`LLM_DEFAULTS.${use}: names no model of LLM_MODELS`);
  }
  return { byName, defaults, problems };
}

function endpointOf({
  LLM_BASE_URL: base_url,
  LLM_API_KEY: api_key,
  LLM_MODEL: model,
}: Pick<Settings, 'LLM_BASE_URL' | 'LLM_API_KEY' | 'LLM_MODEL'>): LanguageConfig | undefined {
  if (!base_url || !model) return undefined;
  return { kind: 'openai_compatible', settings: { base_url, model, ...(api_key && { api_key }) } };
}

const workersAiOf = ({ AI }: ModelDeps['bindings']): LanguageConfig | undefined =>
  AI && { kind: 'workers_ai' satisfies LanguageKind, settings: { model: DEFAULT_WORKERS_AI_MODEL } };
