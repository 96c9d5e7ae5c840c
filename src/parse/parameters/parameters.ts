import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { MOST_INSTRUCTION, MOST_TEXT, PARSE_MODES } from '../page-rules.ts';
import { checkedParameters, refuseEmptyArea } from './checked.ts';
import { WITHOUT_EFFECT } from './without-effect.ts';

// Every parse parameter of the specification. docs/parse-parameters.md says what each one does here.

const FLAGS = [
  'adaptive_long_table',
  'aggressive_table_extraction',
  'annotate_links',
  'auto_mode',
  'auto_mode_trigger_on_image_in_page',
  'auto_mode_trigger_on_table_in_page',
  'compact_markdown_table',
  'continuous_mode',
  'disable_image_extraction',
  'disable_ocr',
  'disable_reconstruction',
  'do_not_cache',
  'do_not_unroll_columns',
  'enable_cost_optimizer',
  'extract_charts',
  'extract_layout',
  'extract_printed_page_number',
  'fast_mode',
  'guess_xlsx_sheet_name',
  'hide_footers',
  'hide_headers',
  'high_res_ocr',
  'html_make_all_elements_visible',
  'html_remove_fixed_elements',
  'html_remove_navigation_elements',
  'ignore_document_elements_for_layout_detection',
  'inline_images_in_markdown',
  'internal_is_screenshot_job',
  'invalidate_cache',
  'is_formatting_instruction',
  'keep_page_separator_when_merging_tables',
  'layout_aware',
  'line_level_bounding_box',
  'merge_tables_across_pages_in_markdown',
  'outlined_table_extraction',
  'output_pdf_of_document',
  'output_tables_as_HTML',
  'precise_bounding_box',
  'premium_llm_mode',
  'premium_mode',
  'presentation_out_of_bounds_content',
  'presentation_skip_embedded_data',
  'preserve_layout_alignment_across_pages',
  'preserve_very_small_text',
  'remove_hidden_text',
  'save_images',
  'skip_diagonal_text',
  'specialized_chart_parsing_agentic',
  'specialized_chart_parsing_efficient',
  'specialized_chart_parsing_plus',
  'specialized_image_parsing',
  'spreadsheet_extract_sub_tables',
  'spreadsheet_force_formula_computation',
  'spreadsheet_include_hidden_sheets',
  'strict_mode_buggy_font',
  'strict_mode_image_extraction',
  'strict_mode_image_ocr',
  'strict_mode_reconstruction',
  'structured_output',
  'take_screenshot',
  'use_vendor_multimodal_model',
] as const;

const TEXTS = [
  'auto_mode_trigger_on_text_in_page',
  'confidence_score_effort',
  'hostedllm_api_version',
  'hostedllm_deployment_name',
  'input_bucket_path',
  'input_bucket_region',
  'markdown_table_multiline_header_separator',
  'model',
  'output_bucket_path_prefix',
  'output_bucket_region',
  'page_footer_prefix',
  'page_footer_suffix',
  'page_header_prefix',
  'page_header_suffix',
  'page_prefix',
  'page_separator',
  'page_suffix',
  'preset',
  'project_id',
  'replace_failed_page_with_error_message_prefix',
  'replace_failed_page_with_error_message_suffix',
  'tier',
  'vendor_multimodal_model_name',
  'version',
] as const;

/** What a model is told. */
const INSTRUCTIONS = [
  'complemental_formatting_instruction',
  'content_guideline_instruction',
  'formatting_instruction',
  'parsing_instruction',
  'system_prompt',
  'system_prompt_append',
  'user_prompt',
] as const;

/** No format takes a longer one. */
const MAX_PASSWORD = 255;

const SECRETS = ['hostedllm_key', 'premium_llm_api_key', 'vendor_multimodal_api_key'] as const;

export const LANGUAGE_CODES = [
  'abq',
  'ady',
  'af',
  'ang',
  'ar',
  'as',
  'ava',
  'az',
  'be',
  'bg',
  'bgc',
  'bh',
  'bho',
  'bn',
  'bs',
  'ch_sim',
  'ch_tra',
  'che',
  'cs',
  'cy',
  'da',
  'dar',
  'de',
  'en',
  'es',
  'et',
  'fa',
  'fr',
  'ga',
  'gom',
  'hi',
  'hr',
  'hu',
  'id',
  'inh',
  'is',
  'it',
  'ja',
  'kbd',
  'kn',
  'ko',
  'ku',
  'la',
  'lbe',
  'lez',
  'lt',
  'lv',
  'mah',
  'mai',
  'mi',
  'mn',
  'mni',
  'mr',
  'ms',
  'mt',
  'ne',
  'new',
  'nl',
  'no',
  'oc',
  'pi',
  'pl',
  'pt',
  'ro',
  'rs_cyrillic',
  'rs_latin',
  'ru',
  'sa',
  'sck',
  'sk',
  'sl',
  'sq',
  'sv',
  'sw',
  'ta',
  'tab',
  'te',
  'th',
  'tjk',
  'tl',
  'tr',
  'ug',
  'uk',
  'ur',
  'uz',
  'vi',
] as const;

function fieldsOf<const Name extends string, Schema extends z.ZodType>(
  names: readonly Name[],
  schema: () => Schema,
) {
  return Object.fromEntries(names.map((name) => [name, schema()])) as { [Key in Name]: Schema };
}

/** Every parameter by its name. */
export const fields = {
  ...fieldsOf(FLAGS, () => z.boolean().nullish()),
  ...fieldsOf(TEXTS, () => z.string().max(MOST_TEXT).nullish()),
  ...fieldsOf(INSTRUCTIONS, () => z.string().max(MOST_INSTRUCTION).nullish()),
  ...fieldsOf(SECRETS, () => secret().max(MOST_TEXT).nullish()),
  ...checkedParameters,
  password: secret()
    .max(MAX_PASSWORD)
    .nullish()
    .describe(
      'Opens protected PDFs, Office files and OpenDocument files. Encrypted at rest, masked on read.',
    ),
  images_to_save: z
    .array(z.enum(['embedded', 'layout', 'screenshot']))
    .max(LANGUAGE_CODES.length)
    .nullish(),
  languages: z.array(z.enum(LANGUAGE_CODES)).max(LANGUAGE_CODES.length).nullish(),
  parse_mode: z.enum(PARSE_MODES).nullish(),
  priority: z.enum(['critical', 'high', 'low', 'medium']).nullish(),
  replace_failed_page_mode: z.enum(['blank_page', 'error_message', 'raw_text']).nullish(),
  webhook_configurations: webhookConfigurations.nullish(),
};

for (const [name, field] of Object.entries(fields)) {
  const reason = WITHOUT_EFFECT[name];
  if (reason) withoutEffect(field, reason);
}
withoutEffect(fields.project_id, (named, _parameters, { projectId }) =>
  named === projectId ? undefined : WITHOUT_EFFECT.project_id,
);

withoutEffect(fields.input_bucket_region, (_named, { input_bucket_path }) =>
  input_bucket_path ? undefined : 'There is no input_bucket_path whose bucket this would be the region of.',
);
withoutEffect(fields.output_bucket_region, (_named, { output_bucket_path_prefix }) =>
  output_bucket_path_prefix
    ? undefined
    : 'There is no output_bucket_path_prefix whose bucket this would be the region of.',
);

export const parseParameters = z.object(fields).superRefine(refuseEmptyArea);

export type ParseParameters = z.infer<typeof parseParameters>;
