interface Field {
  neutral: string;
  client: string;
  /** Renamed only where the same object declares this member, too. */
  beside?: string;
}

/** Members that objects of the API declare under another name than clients of the hosted original know. */
export const FIELDS: readonly Field[] = [
  { neutral: 'parse_parameters', client: 'llama_parse_parameters', beside: 'embedding_config' },
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

/** Members of a component, which the word beside it selects: neutral names to the client's. */
export const COMPONENT_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  VENDOR_D: { db_uri: 'mongodb_uri' },
  SOURCE_9_BUCKET: {
    cloud_access_id: 'aws_access_id',
    cloud_access_secret: 'aws_access_secret',
    bucket_endpoint_url: 's3_endpoint_url',
  },
  SOURCE_10_CHAT: { chat_token: 'slack_token' },
  PROVIDER_A_EMBEDDING: { cloud_deployment: 'azure_deployment', cloud_endpoint: 'azure_endpoint' },
  PROVIDER_B_EMBEDDING: {
    cloud_access_key_id: 'aws_access_key_id',
    cloud_secret_access_key: 'aws_secret_access_key',
    cloud_session_token: 'aws_session_token',
  },
};

/** The members beside a `component` that say what it is of. */
export const COMPONENT_SELECTORS = ['sink_type', 'source_type', 'type'] as const;
