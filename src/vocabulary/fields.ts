interface Field {
  neutral: string;
  client: string;
  /**
   * Name of a sibling field. If it is set, the renaming applies only to objects whose schema also declares
   * that field.
   */
  onlyWith?: string;
}

/** Fields of API objects that LlamaCloud clients know under another name. */
export const RENAMED_FIELDS: readonly Field[] = [
  { neutral: 'parse_parameters', client: 'llama_parse_parameters', onlyWith: 'embedding_config' },
  { neutral: 'hostedllm_api_version', client: 'azure_openai_api_version' },
  { neutral: 'hostedllm_deployment_name', client: 'azure_openai_deployment_name' },
  { neutral: 'hostedllm_endpoint', client: 'azure_openai_endpoint' },
  { neutral: 'hostedllm_key', client: 'azure_openai_key' },
  { neutral: 'premium_llm_mode', client: 'gpt4o_mode' },
  { neutral: 'premium_llm_api_key', client: 'gpt4o_api_key' },
  { neutral: 'input_bucket_path', client: 'input_s3_path' },
  { neutral: 'input_bucket_region', client: 'input_s3_region' },
  { neutral: 'output_bucket_path_prefix', client: 'output_s3_path_prefix' },
  { neutral: 'output_bucket_region', client: 'output_s3_region' },
];

/** Fields that state the type of the `component` in the same object. */
export const COMPONENT_SELECTORS = ['sink_type', 'source_type', 'type'] as const;
