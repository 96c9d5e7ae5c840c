import type { CallerModel, CallerModelProblem } from '#src/ports/language-model.ts';
import type { NamedModels } from './named.ts';
import { type LanguageConfig, languageModels } from './registry.ts';

/**
 * Returns driver and settings of a model for which a caller sends an API key. The address is the caller's
 * endpoint or the vendor's API. It is never an endpoint of the operator, which must not receive a caller's
 * key.
 */
export function resolveOwnModel(
  own: CallerModel,
  byName: NamedModels['byName'],
): LanguageConfig | CallerModelProblem {
  const config = own.endpoint ? resolveEndpoint(own.endpoint, own) : resolveVendorModel(own, byName);
  if ('problem' in config) return config;
  const { error } = languageModels[config.kind].settings.safeParse(config.settings);
  if (!error) return config;
  const [{ path, message }] = error.issues as [(typeof error.issues)[number]];
  return { part: PARTS[String(path[0])] ?? 'name', problem: message };
}

const PARTS: Record<string, keyof CallerModel> = {
  base_url: 'endpoint',
  api_key: 'key',
  api_version: 'apiVersion',
};

/**
 * Returns the driver for a caller's endpoint. A deployment name or an API version indicates an endpoint of
 * Azure OpenAI.
 */
function resolveEndpoint(
  endpoint: string,
  { name, key, deployment, apiVersion }: CallerModel,
): LanguageConfig | CallerModelProblem {
  const base_url = /^https?:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`;
  const api_key = key ? { api_key: key } : {};
  const model = deployment || name;
  if (deployment || apiVersion) {
    if (!model) return { part: 'deployment', problem: 'The name of the deployment is missing.' };
    if (!key) return { part: 'endpoint', problem: 'The key of the deployment is missing.' };
    const api_version = apiVersion ? { api_version: apiVersion } : {};
    return { kind: 'azure_openai', settings: { base_url, model, ...api_key, ...api_version } };
  }
  if (!model)
    return { part: 'endpoint', problem: 'The name of the model at this endpoint is missing (model).' };
  return { kind: 'openai_compatible', settings: { base_url, model, ...api_key } };
}

/** Vendors whose language models need only an API key and a model name. */
const KEY_VENDORS = ['anthropic', 'cohere', 'gemini', 'openai'] as const;
type KeyVendor = (typeof KEY_VENDORS)[number];

function resolveVendorModel(
  { name, key }: CallerModel,
  byName: NamedModels['byName'],
): LanguageConfig | CallerModelProblem {
  if (!name)
    return {
      part: 'key',
      problem: 'No model is named for this key. Set model or vendor_multimodal_model_name.',
    };
  const known = byName.get(name);
  const found = known
    ? { kind: KEY_VENDORS.find((kind) => kind === known.kind), model: String(known.settings.model) }
    : findVendor(name);
  if (!found?.kind) {
    return {
      part: 'key',
      problem: `The vendor of the model ${name.slice(0, 100)} is unknown. Set the endpoint of the model.`,
    };
  }
  return { kind: found.kind, settings: { model: found.model, api_key: key } };
}

/** Patterns that match the beginning of each vendor's model names. */
const FAMILIES: [KeyVendor, RegExp][] = [
  ['anthropic', /^claude\b/],
  ['cohere', /^(?:command|c4ai)\b/],
  ['gemini', /^(?:gemini|gemma)\b/],
  ['openai', /^(?:gpt|chatgpt|o\d)/],
];

/** Finds the vendor of a model name. Returns `undefined` if the vendor is unknown. */
function findVendor(name: string): { kind: KeyVendor; model: string } | undefined {
  const plain = name.trim().toLowerCase();
  const family = FAMILIES.find(([, begins]) => begins.test(plain));
  if (family) return { kind: family[0], model: plain };
  const [, vendor, rest] = /^(anthropic|cohere|google|openai)[-/](.+)$/.exec(plain) ?? [];
  if (!vendor || !rest) return undefined;
  if (vendor === 'google') return { kind: 'gemini', model: rest };
  return { kind: vendor as KeyVendor, model: vendor === 'anthropic' ? toClaudeName(rest) : toGptName(rest) };
}

/**
 * Converts names such as `sonnet-4.0` to `claude-sonnet-4-0`. In names up to version 3.7, the version
 * precedes the family.
 */
function toClaudeName(rest: string): string {
  const [, family, version = ''] = /^(haiku|opus|sonnet)-(\d(?:[.-]\d)?)$/.exec(rest) ?? [];
  if (!family) return rest;
  const number = version.replace('.', '-');
  return Number(number[0]) < 4 ? `claude-${number}-${family}-latest` : `claude-${family}-${number}`;
}

/** Converts `gpt4o` to `gpt-4o`, and `gpt-4-1` to `gpt-4.1`. */
const toGptName = (rest: string): string =>
  rest.replace(/^gpt(?=\d)/, 'gpt-').replace(/^gpt-(\d)-(\d)(?!\d)/, 'gpt-$1.$2');
