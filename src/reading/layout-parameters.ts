import type { ParseParameters } from '#src/parsing/parameters.ts';
import { planOf } from './plan.ts';

/** What chooses how pages are read, and by which model. */
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

/** What only a model follows that is shown pictures. */
export const FOR_EYES = [
  'extract_charts',
  'specialized_chart_parsing_agentic',
  'specialized_chart_parsing_efficient',
  'specialized_chart_parsing_plus',
  'specialized_image_parsing',
] as const satisfies (keyof ParseParameters)[];

/** What only a model follows. */
export const FOR_MODELS = [
  ...FOR_EYES,
  'auto_mode_trigger_on_image_in_page',
  'auto_mode_trigger_on_regexp_in_page',
  'auto_mode_trigger_on_table_in_page',
  'auto_mode_trigger_on_text_in_page',
  'complemental_formatting_instruction',
  'content_guideline_instruction',
  'formatting_instruction',
  'is_formatting_instruction',
  'layout_aware',
  'model',
  'parsing_instruction',
  'system_prompt',
  'system_prompt_append',
  'user_prompt',
  'vendor_multimodal_model_name',
] as const satisfies (keyof ParseParameters)[];

/** Which pages are read and what stands in for failed ones: a page is read alike whatever they say. */
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

/** What the parser is asked for where a model reads its pages: the same for every model and every instruction. */
export const layoutParameters = (parameters: ParseParameters) =>
  without(parameters, [...CHOOSING, ...FOR_MODELS]);

/**
 * What the parser is asked for where it alone reads. Only the mode that was chosen counts: `fast_mode` is what the
 * parser itself knows of it.
 */
export function parserParameters(parameters: ParseParameters): ParseParameters {
  if (planOf(parameters).mode === 'text') return { ...parameters, fast_mode: true, disable_ocr: true };
  return parameters.fast_mode ? { ...parameters, fast_mode: false } : parameters;
}

/** What a page's reading depends on. */
export const pageParameters = (parameters: ParseParameters) => without(parameters, OF_THE_DOCUMENT);

function without(parameters: ParseParameters, names: readonly string[]): ParseParameters {
  const left = new Set(names);
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !left.has(name)));
}
