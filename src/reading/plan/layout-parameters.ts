import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { planOf } from './plan.ts';
import { withPreset } from './presets.ts';
import { leavesPages, type Ways } from './ways.ts';

/** Parameters that choose how pages are read, and by which model. */
const CHOOSING = [
  'parse_mode',
  'tier',
  'fast_mode',
  'premium_mode',
  'use_vendor_multimodal_model',
  'premium_llm_mode',
  'continuous_mode',
  'auto_mode',
] as const satisfies (keyof ParseParameters)[];

/** Parameters that only affect models which see pictures. */
export const FOR_EYES = [
  'extract_charts',
  'specialized_chart_parsing_agentic',
  'specialized_chart_parsing_efficient',
  'specialized_chart_parsing_plus',
  'specialized_image_parsing',
] as const satisfies (keyof ParseParameters)[];

/** Parameters that only affect models. */
export const FOR_MODELS = [
  ...FOR_EYES,
  'auto_mode_configuration_json',
  'auto_mode_trigger_on_image_in_page',
  'auto_mode_trigger_on_regexp_in_page',
  'auto_mode_trigger_on_table_in_page',
  'auto_mode_trigger_on_text_in_page',
  'complemental_formatting_instruction',
  'content_guideline_instruction',
  'enable_cost_optimizer',
  'formatting_instruction',
  'hostedllm_api_version',
  'hostedllm_deployment_name',
  'hostedllm_endpoint',
  'hostedllm_key',
  'is_formatting_instruction',
  'layout_aware',
  'model',
  'parsing_instruction',
  'premium_llm_api_key',
  'system_prompt',
  'system_prompt_append',
  'user_prompt',
  'vendor_multimodal_api_key',
  'vendor_multimodal_model_name',
] as const satisfies (keyof ParseParameters)[];

/** Parameters that choose pages and replace failed ones. They do not change how a page is read. */
const OF_THE_DOCUMENT = [
  'target_pages',
  'max_pages',
  'page_error_tolerance',
  'page_prefix',
  'page_separator',
  'page_suffix',
  'replace_failed_page_mode',
  'replace_failed_page_with_error_message_prefix',
  'replace_failed_page_with_error_message_suffix',
  'strict_mode_reconstruction',
  'take_screenshot',
] as const satisfies (keyof ParseParameters)[];

/** Parameters that choose the pages for a model. */
const CHOOSING_PAGES = [
  'auto_mode',
  'auto_mode_configuration_json',
  'auto_mode_trigger_on_image_in_page',
  'auto_mode_trigger_on_regexp_in_page',
  'auto_mode_trigger_on_table_in_page',
  'auto_mode_trigger_on_text_in_page',
  'confidence_score_effort',
  'enable_cost_optimizer',
] as const satisfies (keyof ParseParameters)[];

/** Parameters that are replaced by others, or only reported. */
const PUT_IN_PLACE = ['preset', 'version'] as const satisfies (keyof ParseParameters)[];

/**
 * Returns the parser's parameters for pages that a model reads. They are equal for all models and
 * instructions.
 */
export function layoutParameters(ways: Ways): ParseParameters {
  const { base } = ways;
  const rest = without(base.parameters, [...CHOOSING, ...FOR_MODELS, ...PUT_IN_PLACE]);
  const isChecked = leavesPages(ways) && base.parameters.confidence_score_effort === 'high';
  const checked = isChecked ? rest : without(rest, ['confidence_score_effort']);
  // Pages without a rule keep the parser's layout.
  return base.plan.mode === 'text' ? { ...checked, ...LINE_BY_LINE } : checked;
}

const LINE_BY_LINE = { fast_mode: true, disable_ocr: true };

/**
 * Returns the parser's parameters if it reads alone. Only the chosen mode counts; `fast_mode` is the only one
 * that the parser knows.
 */
export function parserParameters(given: ParseParameters): ParseParameters {
  const parameters = without(withPreset(given), [...FOR_MODELS, ...PUT_IN_PLACE]);
  if (planOf(given).mode === 'text') return { ...parameters, ...LINE_BY_LINE };
  return parameters.fast_mode ? { ...parameters, fast_mode: false } : parameters;
}

/** Returns the parameters that affect the reading of a page. */
export const pageParameters = (parameters: ParseParameters) =>
  without(parameters, [...OF_THE_DOCUMENT, ...PUT_IN_PLACE, ...CHOOSING_PAGES]);

function without(parameters: ParseParameters, names: readonly string[]): ParseParameters {
  const left = new Set(names);
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !left.has(name)));
}
