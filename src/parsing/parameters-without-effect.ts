/**
 * The parse parameters that are checked, stored and returned, and change nothing of what is read, each with what is
 * told to who sends it. docs/parse-parameters.md says the same; a test compares the two.
 */
const NO_MODEL = 'No way of reading pages here follows it.';

export const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  adaptive_long_table: NO_MODEL,
  extract_charts: NO_MODEL,
  http_proxy:
    'No URL is fetched for it. Beside one it is refused: this runtime cannot send requests through a proxy.',
  input_bucket_region: 'The store says itself which region a bucket is in.',
  internal_is_screenshot_job:
    'It marks work that other installations order from themselves; there is none of it here.',
  layout_aware: NO_MODEL,
  output_bucket_path_prefix: 'Results stay in the installation.',
  output_bucket_region: 'Results stay in the installation.',
  output_pdf_of_document: 'No PDF is made.',
  project_id: 'The project is that of the request, another one than this.',
  specialized_chart_parsing_agentic: NO_MODEL,
  specialized_chart_parsing_efficient: NO_MODEL,
  specialized_chart_parsing_plus: NO_MODEL,
  specialized_image_parsing: NO_MODEL,
  spreadsheet_force_formula_computation:
    'No formula is computed: stored results are shown, and the formula where there is none.',
  structured_output: NO_MODEL,
  structured_output_json_schema: NO_MODEL,
  structured_output_json_schema_name: NO_MODEL,
};
