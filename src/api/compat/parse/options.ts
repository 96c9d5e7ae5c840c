import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';

type Flat = Record<string, unknown>;
type Parameter = keyof typeof parseParameters.shape;

/** Parse option of LlamaCloud's clients, with its schema and the parse parameters that it stands for. */
export interface Option {
  schema: z.ZodType;
  /** Names of the parse parameters that the option sets. */
  names: readonly Parameter[];
  parameters(value: unknown): Flat;
  /**
   * Returns the value of the option that corresponds to the parse parameters, or `undefined` if the option is
   * not set.
   */
  option(parameters: Flat): unknown;
}

export interface OptionGroup {
  readonly [name: string]: Option | OptionGroup;
}

/** Defines a client option that sets one parse parameter with another name. */
const alias = (name: Parameter): Option => ({
  schema: parseParameters.shape[name],
  names: [name],
  parameters: (value) => ({ [name]: value }),
  option: (parameters) => parameters[name],
});

/** Defines a client option that Sluice does not support. Requests that set the option get a warning. */
const unsupported = (reason: string): Option => ({
  schema: withoutEffect(z.unknown().optional(), reason),
  names: [],
  parameters: () => ({}),
  option: () => undefined,
});

const flag = () => z.boolean().nullish();

/** Defines a boolean client option that sets a boolean parse parameter to the opposite value. */
const negation = (name: Parameter): Option => ({
  schema: flag(),
  names: [name],
  parameters: (value) => (value === null ? {} : { [name]: !value }),
  option: (parameters) => (typeof parameters[name] === 'boolean' ? !parameters[name] : undefined),
});

/** Defines a boolean client option that sets several boolean parse parameters. */
const allFlags = (...names: Parameter[]): Option => ({
  schema: flag(),
  names,
  parameters: (value) => Object.fromEntries(names.map((name) => [name, value])),
  option: (parameters) => (names.every((name) => parameters[name] === true) ? true : undefined),
});

/**
 * Defines a client option whose value is one of several words. Each word sets one boolean parse parameter.
 */
function exclusiveFlags(flags: Readonly<Record<string, Parameter>>): Option {
  const words = Object.keys(flags);
  return {
    schema: z.enum(words as [string, ...string[]]).nullish(),
    names: Object.values(flags),
    parameters: (value) => (typeof value === 'string' ? { [flags[value]!]: true } : {}),
    option: (parameters) => words.find((word) => parameters[flags[word]!] === true),
  };
}

const asJson = (name: Parameter): Option => ({
  schema: z.array(z.record(z.string(), z.unknown())).nullish(),
  names: [name],
  parameters: (value) => (value === null ? {} : { [name]: JSON.stringify(value) }),
  option: (parameters) => (typeof parameters[name] === 'string' ? JSON.parse(parameters[name]) : undefined),
});

const NO_STEP = 'The built-in parser has no such step.';

/** All parse options of LlamaCloud's clients, in the groups in which clients send them. */
export const PARSE_OPTIONS = {
  tier: alias('tier'),
  version: alias('version'),
  http_proxy: alias('http_proxy'),
  disable_cache: allFlags('do_not_cache', 'invalidate_cache'),
  fast_options: unsupported(NO_STEP),
  agentic_options: { custom_prompt: alias('user_prompt') },
  crop_box: {
    top: alias('bbox_top'),
    right: alias('bbox_right'),
    bottom: alias('bbox_bottom'),
    left: alias('bbox_left'),
  },
  page_ranges: { max_pages: alias('max_pages'), target_pages: alias('target_pages') },
  input_options: {
    html: {
      make_all_elements_visible: alias('html_make_all_elements_visible'),
      remove_fixed_elements: alias('html_remove_fixed_elements'),
      remove_navigation_elements: alias('html_remove_navigation_elements'),
    },
    image: { camera_photo_correction: unsupported(NO_STEP) },
    pdf: unsupported(NO_STEP),
    presentation: {
      out_of_bounds_content: alias('presentation_out_of_bounds_content'),
      skip_embedded_data: alias('presentation_skip_embedded_data'),
    },
    spreadsheet: {
      detect_sub_tables_in_sheets: alias('spreadsheet_extract_sub_tables'),
      force_formula_computation_in_sheets: alias('spreadsheet_force_formula_computation'),
      include_hidden_sheets: alias('spreadsheet_include_hidden_sheets'),
    },
  },
  output_options: {
    additional_outputs: unsupported('Every output that there is can be asked for when the job is read.'),
    extract_printed_page_number: alias('extract_printed_page_number'),
    granular_bboxes: unsupported('Words of a file are read with their boxes through its pages.'),
    images_to_save: alias('images_to_save'),
    save_output_pdf: alias('output_pdf_of_document'),
    markdown: {
      annotate_line_numbers: unsupported(NO_STEP),
      annotate_links: alias('annotate_links'),
      annotate_revisions: unsupported(NO_STEP),
      inline_images: alias('inline_images_in_markdown'),
      tables: {
        compact_markdown_tables: alias('compact_markdown_table'),
        markdown_table_multiline_separator: alias('markdown_table_multiline_header_separator'),
        merge_continued_tables: alias('merge_tables_across_pages_in_markdown'),
        output_tables_as_markdown: negation('output_tables_as_HTML'),
      },
    },
    spatial_text: {
      do_not_unroll_columns: alias('do_not_unroll_columns'),
      preserve_layout_alignment_across_pages: alias('preserve_layout_alignment_across_pages'),
      preserve_very_small_text: alias('preserve_very_small_text'),
    },
    tables_as_spreadsheet: {
      enable: unsupported('Every job gives its tables as a workbook to who asks.'),
      guess_sheet_name: alias('guess_xlsx_sheet_name'),
    },
  },
  processing_control: {
    job_failure_conditions: {
      allowed_page_failure_ratio: alias('page_error_tolerance'),
      fail_on_buggy_font: alias('strict_mode_buggy_font'),
      fail_on_image_extraction_error: alias('strict_mode_image_extraction'),
      fail_on_image_ocr_error: alias('strict_mode_image_ocr'),
      fail_on_markdown_reconstruction_error: alias('strict_mode_reconstruction'),
    },
    timeouts: {
      base_in_seconds: alias('job_timeout_in_seconds'),
      extra_time_per_page_in_seconds: alias('job_timeout_extra_time_per_page_in_seconds'),
    },
  },
  processing_options: {
    aggressive_table_extraction: alias('aggressive_table_extraction'),
    auto_mode_configuration: asJson('auto_mode_configuration_json'),
    confidence_score_effort: alias('confidence_score_effort'),
    cost_optimizer: { enable: alias('enable_cost_optimizer') },
    disable_heuristics: unsupported(NO_STEP),
    forms: unsupported(NO_STEP),
    ignore: {
      ignore_diagonal_text: alias('skip_diagonal_text'),
      ignore_hidden_text: alias('remove_hidden_text'),
      ignore_text_in_image: alias('disable_ocr'),
    },
    ocr_parameters: { languages: alias('languages') },
    specialized_chart_parsing: exclusiveFlags({
      agentic: 'specialized_chart_parsing_agentic',
      agentic_plus: 'specialized_chart_parsing_plus',
      efficient: 'specialized_chart_parsing_efficient',
    }),
  },
} as const satisfies OptionGroup;
