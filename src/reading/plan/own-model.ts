import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import type { OwnModel } from '#src/ports/language-model.ts';
import type { Way } from './ways.ts';

/** A caller's own model that the parameters request. */
export interface AskedModel {
  own: OwnModel;
  /** Parameter from which each part comes. */
  fields: Partial<Record<keyof OwnModel, keyof ParseParameters>>;
}

/**
 * Returns the caller's own model: at `hostedllm_endpoint`, otherwise of the vendor whose key is given.
 * Undefined if a model of the project or the installation reads the pages.
 */
export function ownModelOf({ plan, parameters }: Way): AskedModel | undefined {
  const { modelName } = plan;
  if (parameters.hostedllm_endpoint) {
    return {
      own: {
        name: modelName,
        endpoint: parameters.hostedllm_endpoint,
        key: parameters.hostedllm_key || undefined,
        deployment: parameters.hostedllm_deployment_name || undefined,
        apiVersion: parameters.hostedllm_api_version || undefined,
      },
      fields: {
        name: 'model',
        endpoint: 'hostedllm_endpoint',
        key: 'hostedllm_key',
        deployment: 'hostedllm_deployment_name',
        apiVersion: 'hostedllm_api_version',
      },
    };
  }
  const ofPictures = plan.sees ? parameters.vendor_multimodal_api_key : undefined;
  const key = ofPictures || parameters.premium_llm_api_key;
  if (!key) return undefined;
  const field = ofPictures ? 'vendor_multimodal_api_key' : 'premium_llm_api_key';
  return { own: { name: modelName, key }, fields: { name: field, key: field } };
}

const ALL = [
  'hostedllm_api_version',
  'hostedllm_deployment_name',
  'hostedllm_endpoint',
  'hostedllm_key',
  'premium_llm_api_key',
  'vendor_multimodal_api_key',
] as const satisfies (keyof ParseParameters)[];

/** Returns parameters of an own model that have no effect beside the others, with the reason. */
export function idleOwnFields(ways: readonly Way[]): Record<string, string> {
  const [{ parameters }] = ways as [Way];
  const used = new Set<string>();
  for (const way of ways) for (const field of Object.values(ownModelOf(way)?.fields ?? {})) used.add(field);
  const reason = (field: string) => {
    if (field.startsWith('hostedllm_')) return 'There is no hostedllm_endpoint.';
    if (parameters.hostedllm_endpoint) return 'hostedllm_endpoint names the model.';
    return field === 'vendor_multimodal_api_key'
      ? 'The chosen mode looks at no pictures.'
      : 'vendor_multimodal_api_key is the key.';
  };
  const idle = ALL.filter((field) => parameters[field] && !used.has(field));
  return Object.fromEntries(idle.map((field) => [field, reason(field)]));
}
