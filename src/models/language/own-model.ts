import type { OwnModel, OwnProblem } from '#src/ports/language-model.ts';
import type { NamedModels } from './named.ts';
import { type LanguageConfig, languageModels } from './registry.ts';

/**
 * Returns driver and settings of a caller's own model. The address is the caller's endpoint or the vendor's,
 * never one of the operator, because the operator's endpoints must not receive a caller's key.
 */
export function ownModel(own: OwnModel, byName: NamedModels['byName']): LanguageConfig | OwnProblem {
  const config = own.endpoint ? atEndpoint(own.endpoint, own) : ofVendor(own, byName);
  if ('problem' in config) return config;
  const { error } = languageModels[config.kind].settings.safeParse(config.settings);
  if (!error) return config;
  const [{ path, message }] = error.issues as [(typeof error.issues)[number]];
  return { part: PARTS[String(path[0])] ?? 'name', problem: message };
}

const PARTS: Record<string, keyof OwnModel> = {
  base_url: 'endpoint',
  api_key: 'key',
  api_version: 'apiVersion',
};

/** A deployment or API version implies an Azure endpoint. */
function atEndpoint(
  endpoint: string,
  { name, key, deployment, apiVersion }: OwnModel,
): LanguageConfig | OwnProblem {
  const base_url = /^https?:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`;
  const api_key = key ? { api_key: key } : {};
  const model = deployment || name;
  if (deployment || apiVersion) {
    if (!model) return { part: 'deployment', problem: 'The name of the deployment is missing.' };
    if (!key) return { part: 'endpoint', problem: 'The key of the deployment is missing.' };
    const api_version = apiVersion ? { api_version: apiVersion } : {};
    return { kind: 'azure_openai', settings: { base_url, model, ...api_key, ...api_version } };
  }
  if (!model) return { part: 'endpoint', problem: 'The name of the model there is missing (model).' };
  return { kind: 'openai_compatible', settings: { base_url, model, ...api_key } };
}

/** Drivers that only need an API key and a model name. */
const WITH_KEY = ['anthropic', 'cohere', 'gemini', 'openai'] as const;
type WithKey = (typeof WITH_KEY)[number];

function ofVendor({ name, key }: OwnModel, byName: NamedModels['byName']): LanguageConfig | OwnProblem {
  if (!name)
    return {
      part: 'key',
      problem: 'No model is named that it is for (model, vendor_multimodal_model_name).',
    };
  const known = byName.get(name);
  const found = known
    ? { kind: WITH_KEY.find((kind) => kind === known.kind), model: String(known.settings.model) }
    : vendorOf(name);
  if (!found?.kind) {
    return {
      part: 'key',
      problem: `Whose model ${name.slice(0, 100)} is cannot be told: name its endpoint.`,
    };
  }
  return { kind: found.kind, settings: { model: found.model, api_key: key } };
}

/** Prefixes of each vendor's model names. */
const FAMILIES: [WithKey, RegExp][] = [
  ['anthropic', /^claude\b/],
  ['cohere', /^(?:command|c4ai)\b/],
  ['gemini', /^(?:gemini|gemma)\b/],
  ['openai', /^(?:gpt|chatgpt|o\d)/],
];

/** Returns the vendor of a model name. */
function vendorOf(name: string): { kind: WithKey; model: string } | undefined {
  const plain = name.trim().toLowerCase();
  const family = FAMILIES.find(([, begins]) => begins.test(plain));
  if (family) return { kind: family[0], model: plain };
  const [, vendor, rest] = /^(anthropic|cohere|google|openai)[-/](.+)$/.exec(plain) ?? [];
  if (!vendor || !rest) return undefined;
  if (vendor === 'google') return { kind: 'gemini', model: rest };
  return { kind: vendor as WithKey, model: vendor === 'anthropic' ? claudeName(rest) : gptName(rest) };
}

/** Converts `sonnet-4.0` to `claude-sonnet-4-0`. Until 3.7 the version came first. */
function claudeName(rest: string): string {
  const [, family, version = ''] = /^(haiku|opus|sonnet)-(\d(?:[.-]\d)?)$/.exec(rest) ?? [];
  if (!family) return rest;
  const number = version.replace('.', '-');
  return Number(number[0]) < 4 ? `claude-${number}-${family}-latest` : `claude-${family}-${number}`;
}

/** Converts `gpt4o` to `gpt-4o`, and `gpt-4-1` to `gpt-4.1`. */
const gptName = (rest: string): string =>
  rest.replace(/^gpt(?=\d)/, 'gpt-').replace(/^gpt-(\d)-(\d)(?!\d)/, 'gpt-$1.$2');
