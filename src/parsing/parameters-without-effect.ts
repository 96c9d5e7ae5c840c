/**
 * The parse parameters that are checked, stored and returned, and change nothing of what is read, each with what is
 * told to who sends it. docs/parse-parameters.md says the same; a test compares the two.
 */
const NO_MODEL = 'No way of reading pages here follows it.';
const OWN_MODEL = 'Pages are read by the models of the installation, with its keys.';

export const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  adaptive_long_table: NO_MODEL,
  auto_mode: NO_MODEL,
  auto_mode_configuration_json: NO_MODEL,
  auto_mode_trigger_on_image_in_page: NO_MODEL,
  auto_mode_trigger_on_regexp_in_page: NO_MODEL,
  auto_mode_trigger_on_table_in_page: NO_MODEL,
  auto_mode_trigger_on_text_in_page: NO_MODEL,
  confidence_score_effort: 'Confidence is what the OCR engine says of itself, at no other effort.',
  enable_cost_optimizer: 'Nothing is billed.',
  extract_charts: NO_MODEL,
  hostedllm_api_version: OWN_MODEL,
  hostedllm_deployment_name: OWN_MODEL,
  hostedllm_endpoint: OWN_MODEL,
  hostedllm_key: OWN_MODEL,
  http_proxy: 'Nothing is fetched while parsing. Credentials in it are protected as secrets are.',
  input_bucket_path: 'Use a bucket data source.',
  input_bucket_region: 'Use a bucket data source.',
  input_url: 'Files come in through the file operations.',
  internal_is_screenshot_job: 'Internal to other installations.',
  job_timeout_extra_time_per_page_in_seconds: 'Time limits are those of the installation.',
  job_timeout_in_seconds: 'Time limits are those of the installation.',
  layout_aware: NO_MODEL,
  max_pages_enforced: 'Use `max_pages`.',
  output_bucket_path_prefix: 'Results stay in the installation.',
  output_bucket_region: 'Results stay in the installation.',
  output_pdf_of_document: 'No PDF is made.',
  premium_llm_api_key: OWN_MODEL,
  preset: 'The built-in parser has no presets.',
  priority: 'Work is done in order of arrival.',
  project_id: 'The project is that of the request.',
  specialized_chart_parsing_agentic: NO_MODEL,
  specialized_chart_parsing_efficient: NO_MODEL,
  specialized_chart_parsing_plus: NO_MODEL,
  specialized_image_parsing: NO_MODEL,
  spreadsheet_force_formula_computation:
    'No formula is computed: stored results are shown, and the formula where there is none.',
  structured_output: NO_MODEL,
  structured_output_json_schema: NO_MODEL,
  structured_output_json_schema_name: NO_MODEL,
  vendor_multimodal_api_key: OWN_MODEL,
  version: 'There is one version of the parser.',
};
