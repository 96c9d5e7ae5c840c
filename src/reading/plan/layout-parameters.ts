import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { canLeavePagesToParser, type PagePlans } from './page-plan.ts';
import { resolveReadingPlan } from './plan.ts';
import { applyPreset } from './presets.ts';

/** Parse parameters that choose the reading mode, for example whether a model reads the pages. */
const READING_MODE_PARAMETERS = [
  'parse_mode',
  'tier',
  'fast_mode',
  'premium_mode',
  'use_vendor_multimodal_model',
  'premium_llm_mode',
  'continuous_mode',
  'auto_mode',
] as const satisfies (keyof ParseParameters)[];

/** Parse parameters that only affect models that receive pictures of pages. */
export const VISION_PARAMETERS = [
  'extract_charts',
  'specialized_chart_parsing_agentic',
  'specialized_chart_parsing_efficient',
  'specialized_chart_parsing_plus',
  'specialized_image_parsing',
] as const satisfies (keyof ParseParameters)[];

/** Parse parameters that only affect pages that a language model reads. */
export const MODEL_PARAMETERS = [
  ...VISION_PARAMETERS,
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

/** Parse parameters that choose, separate or replace pages. They do not change how a single page is read. */
const DOCUMENT_PARAMETERS = [
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

/** Parse parameters that determine which pages a language model reads. */
const TRIGGER_PARAMETERS = [
  'auto_mode',
  'auto_mode_configuration_json',
  'auto_mode_trigger_on_image_in_page',
  'auto_mode_trigger_on_regexp_in_page',
  'auto_mode_trigger_on_table_in_page',
  'auto_mode_trigger_on_text_in_page',
  'confidence_score_effort',
  'enable_cost_optimizer',
] as const satisfies (keyof ParseParameters)[];

/**
 * Parse parameters that do not affect the parser directly. `preset` is replaced by the parameters of the
 * preset, and `version` is only reported.
 */
const REPLACED_PARAMETERS = ['preset', 'version'] as const satisfies (keyof ParseParameters)[];

/**
 * Returns the parameters with which the parser prepares pages for a language model. They do not depend on the
 * model or its instructions, so one stored layout serves all models.
 */
export function getLayoutParameters(plans: PagePlans): ParseParameters {
  const { base } = plans;
  const rest = omitParameters(base.parameters, [
    ...READING_MODE_PARAMETERS,
    ...MODEL_PARAMETERS,
    ...REPLACED_PARAMETERS,
  ]);
  const isChecked = canLeavePagesToParser(plans) && base.parameters.confidence_score_effort === 'high';
  const checked = isChecked ? rest : omitParameters(rest, ['confidence_score_effort']);
  // In text mode, pages without a rule keep the parser's line-by-line text.
  return base.readingPlan.mode === 'text' ? { ...checked, ...TEXT_MODE_PARAMETERS } : checked;
}

const TEXT_MODE_PARAMETERS = { fast_mode: true, disable_ocr: true };

/**
 * Returns the parameters for pages that the parser reads without a language model. The chosen mode is passed
 * on as `fast_mode`, because the parser supports no other mode parameter.
 */
export function getParserParameters(given: ParseParameters): ParseParameters {
  const parameters = omitParameters(applyPreset(given), [...MODEL_PARAMETERS, ...REPLACED_PARAMETERS]);
  if (resolveReadingPlan(given).mode === 'text') return { ...parameters, ...TEXT_MODE_PARAMETERS };
  return parameters.fast_mode ? { ...parameters, fast_mode: false } : parameters;
}

/** Returns the parameters that affect how a single page is read. */
export const getPageParameters = (parameters: ParseParameters) =>
  omitParameters(parameters, [...DOCUMENT_PARAMETERS, ...REPLACED_PARAMETERS, ...TRIGGER_PARAMETERS]);

function omitParameters(parameters: ParseParameters, names: readonly string[]): ParseParameters {
  const left = new Set(names);
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !left.has(name)));
}
