import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';

export type Preset = Answer<'GET /api/v2/pipelines/{pipeline_id}/retrieval-presets'>[number];
export type PresetParameters = Preset['parameters'];

/** Operations whose results change with a preset. The default preset also changes its index. */
export const CHANGED_BY_PRESETS = [
  'GET /api/v2/pipelines/{pipeline_id}/retrieval-presets',
  'GET /api/v1/pipelines/{pipeline_id}',
  'GET /api/v1/pipelines',
] as const;

export const usePresets = (indexId: string, enabled = true) =>
  useApiQuery(
    'GET /api/v2/pipelines/{pipeline_id}/retrieval-presets',
    { params: { pipeline_id: indexId } },
    { enabled },
  );

/** Returns the parameters that the preset sets and that a search in the console can use. */
export function listSetParameters(parameters: PresetParameters): [string, unknown][] {
  const { class_name: _, retrieve_image_nodes: __, ...known } = parameters;
  return Object.entries(known).filter(([, value]) => value !== undefined && value !== null);
}

/** Returns true if both sets of parameters have the same values, in any order. */
export function areSameParameters(left: object, right: object): boolean {
  const toText = (each: object) =>
    JSON.stringify(listSetParameters(each as PresetParameters).sort(), (_, value: unknown) =>
      sortMembers(value),
    );
  return toText(left) === toText(right);
}

const sortMembers = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort())
    : value;
