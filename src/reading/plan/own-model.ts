import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import type { CallerModel } from '#src/ports/language-model.ts';
import type { PagePlan } from './page-plan.ts';

/**
 * Language model that a caller specifies in the parse parameters. `fields` names the parameters that describe
 * it.
 */
export interface RequestedModel {
  own: CallerModel;
  fields: Partial<Record<keyof CallerModel, keyof ParseParameters>>;
}

/**
 * Returns the language model that the caller specifies: the model at `hostedllm_endpoint`, or otherwise the
 * model of the vendor whose key is set. Returns `undefined` if the pages are read by a model of the project
 * or the installation.
 */
export function findOwnModel({ readingPlan, parameters }: PagePlan): RequestedModel | undefined {
  const { modelName } = readingPlan;
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
  const visionKey = readingPlan.usesVision ? parameters.vendor_multimodal_api_key : undefined;
  const key = visionKey || parameters.premium_llm_api_key;
  if (!key) return undefined;
  const field = visionKey ? 'vendor_multimodal_api_key' : 'premium_llm_api_key';
  return { own: { name: modelName, key }, fields: { name: field, key: field } };
}

const OWN_MODEL_FIELDS = [
  'hostedllm_api_version',
  'hostedllm_deployment_name',
  'hostedllm_endpoint',
  'hostedllm_key',
  'premium_llm_api_key',
  'vendor_multimodal_api_key',
] as const satisfies (keyof ParseParameters)[];

/**
 * Returns the parameters of a caller's own language model that have no effect. Keys are parameter names, and
 * values are the reasons.
 */
export function findUnusedOwnModelFields(plans: readonly PagePlan[]): Record<string, string> {
  const [{ parameters }] = plans as [PagePlan];
  const used = new Set<string>();
  for (const plan of plans)
    for (const field of Object.values(findOwnModel(plan)?.fields ?? {})) used.add(field);
  const reason = (field: string) => {
    if (field.startsWith('hostedllm_')) return 'This field has no effect without hostedllm_endpoint.';
    if (parameters.hostedllm_endpoint) return 'hostedllm_endpoint selects another model.';
    return field === 'vendor_multimodal_api_key'
      ? 'The chosen mode sends no pictures of pages to a model.'
      : 'vendor_multimodal_api_key takes precedence.';
  };
  const idle = OWN_MODEL_FIELDS.filter((field) => parameters[field] && !used.has(field));
  return Object.fromEntries(idle.map((field) => [field, reason(field)]));
}
