/**
 * The parse parameters that are checked, stored and returned, and change nothing of what is read, each with what is
 * told to who sends it. docs/parse-parameters.md says the same; a test compares the two.
 */
const NO_MODEL = 'No way of reading pages here follows it.';
const OWN_MODEL = 'Pages are read by the models of the installation, with its keys.';

export const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  adaptive_long_table: NO_MODEL,
  auto_mode_configuration_json: 'Rules of it are not followed: use auto_mode and its triggers.',
  confidence_score_effort: 'Confidence is what the OCR engine says of itself, at no other effort.',
  enable_cost_optimizer:
    'It chooses among dearer and cheaper ways to read a page; there is one way here, and no price.',
  hostedllm_api_version: OWN_MODEL,
  hostedllm_deployment_name: OWN_MODEL,
  hostedllm_endpoint: OWN_MODEL,
  hostedllm_key: OWN_MODEL,
  http_proxy:
    'No URL is fetched for it. Beside one it is refused: this runtime cannot send requests through a proxy.',
  input_bucket_region: 'The store says itself which region a bucket is in.',
  internal_is_screenshot_job:
    'It marks work that other installations order from themselves; there is none of it here.',
  output_bucket_path_prefix: 'Results stay in the installation.',
  output_bucket_region: 'Results stay in the installation.',
  output_pdf_of_document: 'No PDF is made.',
  premium_llm_api_key: OWN_MODEL,
  preset: 'The built-in parser has no presets.',
  project_id: 'The project is that of the request, another one than this.',
  spreadsheet_force_formula_computation:
    'No formula is computed: stored results are shown, and the formula where there is none.',
  structured_output: NO_MODEL,
  structured_output_json_schema: NO_MODEL,
  structured_output_json_schema_name: NO_MODEL,
  vendor_multimodal_api_key: OWN_MODEL,
  version: 'There is one version of the parser.',
};
