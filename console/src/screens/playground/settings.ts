import type { Body, Pipeline } from '../../api/types.ts';
import { listSetParameters, type Preset as NamedPreset } from '../presets/presets.ts';
import type { Filters } from './filter-values.ts';

type Request = Body<'POST /api/v1/pipelines/{pipeline_id}/retrieve'>;
interface Filtered {
  search_filters?: Filters | null;
}
/** Parameters of one column that differ from the defaults of the index. */
export type Settings = Omit<Request, 'query' | 'class_name' | 'retrieve_image_nodes' | 'search_filters'> &
  Filtered;
export type Preset = Omit<NonNullable<Pipeline['preset_retrieval_parameters']>, 'search_filters'> & Filtered;
export type Name = keyof Settings;

/**
 * Parameters stored in the page's address, with their types. The prefix `b.` marks the parameters of the
 * second column.
 */
const NAMES = {
  retrieval_mode: 'text',
  alpha: 'number',
  dense_similarity_top_k: 'number',
  sparse_similarity_top_k: 'number',
  dense_similarity_cutoff: 'number',
  enable_reranking: 'switch',
  rerank_top_n: 'number',
  files_top_k: 'number',
  retrieve_page_screenshot_nodes: 'switch',
  retrieve_page_figure_nodes: 'switch',
  search_filters: 'json',
  search_filters_inference_schema: 'json',
} as const satisfies Record<Name, 'text' | 'number' | 'switch' | 'json'>;

const ALL = Object.keys(NAMES) as Name[];

/** Column of the playground, identified by the prefix of its parameters in the page's address. */
export type Column = '' | 'b.';

export function parseSettings(search: URLSearchParams, column: Column): Settings {
  const read = ALL.map((name) => [name, readAs(NAMES[name], search.get(column + name))]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Settings;
}

/**
 * Parses a parameter from the address. Invalid text is passed on unchanged, so that the service reports the
 * error.
 */
function readAs(kind: (typeof NAMES)[Name], text: string | null): unknown {
  if (text === null) return undefined;
  if (kind === 'number') return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (kind === 'switch') return text === 'true' ? true : text === 'false' ? false : text;
  if (kind === 'text') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Sets a search parameter in the page's address. The value `undefined` removes the parameter, so that the
 * default of the index applies.
 */
export function setSetting(search: URLSearchParams, column: Column, name: Name, value: unknown): void {
  if (value === undefined) search.delete(column + name);
  else search.set(column + name, NAMES[name] === 'json' ? JSON.stringify(value) : String(value));
}

/** Removes all parameters of a column and the preset from which they came. */
export function clearSettings(search: URLSearchParams, column: Column): void {
  for (const name of ALL) search.delete(column + name);
  search.delete(`${column}preset`);
}

/** Replaces the parameters of a column by those of a preset. `undefined` selects the defaults of the index. */
export function applyPreset(search: URLSearchParams, column: Column, preset: NamedPreset | undefined): void {
  clearSettings(search, column);
  if (!preset) return;
  search.set(`${column}preset`, preset.id);
  for (const [name, value] of listSetParameters(preset.parameters)) {
    if (name in NAMES) setSetting(search, column, name as Name, value);
  }
}

/** Returns the id of the preset that was last chosen in a column. */
export const getPresetId = (search: URLSearchParams, column: Column) =>
  search.get(`${column}preset`) ?? undefined;
