import { z } from 'zod';
import { componentInput, field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';

// What each embedding model is told, per type. Headers and cookies are secret as a whole; members of
// additional_kwargs are when they are named like credentials.

export const EMBEDDING_TYPES = [
  'PROVIDER_A_EMBEDDING',
  'PROVIDER_B_EMBEDDING',
  'PROVIDER_C_EMBEDDING',
  'PROVIDER_D_EMBEDDING',
  'PROVIDER_E_EMBEDDING',
  'PROVIDER_F_EMBEDDING',
  'PROVIDER_G_EMBEDDING',
  'PROVIDER_H_EMBEDDING',
] as const;
export const embeddingType = z.enum(EMBEDDING_TYPES);
export type EmbeddingType = z.infer<typeof embeddingType>;

const secretMap = () => z.record(z.string(), secret()).nullish();
const retries = () => z.int().min(0).nullable().default(10);
const seconds = () => z.number().min(0).nullable().default(60);

function embedding<Shape extends z.ZodRawShape>(className: string, shape: Shape) {
  return z.looseObject({
    class_name: field.textOr(className),
    embed_batch_size: z.int().gt(0).max(2048).nullable().default(10).describe('Texts per call.'),
    num_workers: field.int().describe('Workers for concurrent calls.'),
    ...shape,
  });
}

const cloudDeployment = embedding('AzureOpenAIEmbedding', {
  additional_kwargs: field.map(),
  api_base: field.textOr(''),
  api_key: secret().nullish(),
  api_version: field.textOr(''),
  cloud_deployment: field.text(),
  cloud_endpoint: field.text(),
  default_headers: secretMap(),
  dimensions: field.int().describe('Only for models of the third generation.'),
  max_retries: retries(),
  model_name: field.textOr('text-embedding-ada-002'),
  reuse_client: field.flagOr(true),
  timeout: seconds(),
});

const managedModelService = embedding('BedrockEmbedding', {
  additional_kwargs: field.map(),
  cloud_access_key_id: secret().nullish(),
  cloud_secret_access_key: secret().nullish(),
  cloud_session_token: secret().nullish(),
  max_retries: z.int().gt(0).nullable().default(10),
  model_name: field.textOr('amazon.titan-embed-text-v1'),
  profile_name: field.text(),
  region_name: field.text(),
  timeout: z.number().nullable().default(60).describe('Seconds, for connecting and for reading.'),
});

const apiKeyVendorC = embedding('CohereEmbedding', {
  api_key: secret(),
  embedding_type: field.textOr('float'),
  input_type: field.text().describe('search_document and search_query when absent.'),
  model_name: field.textOr('embed-english-v3.0'),
  truncate: z.enum(['START', 'END', 'NONE']).nullable().default('END'),
});

const apiKeyVendorD = embedding('GeminiEmbedding', {
  api_base: field.text(),
  api_key: secret().nullish(),
  model_name: field.textOr('models/embedding-001'),
  output_dimensionality: field.int().describe('Not for the oldest model.'),
  task_type: field.textOr('retrieval_document'),
  title: field.textOr('').describe('Only for retrieval_document tasks.'),
  transport: field.text(),
});

const modelHub = embedding('HuggingFaceInferenceAPIEmbedding', {
  token: z.union([secret(), z.boolean()]).nullish().describe('false: no token is sent.'),
  cookies: secretMap(),
  headers: secretMap(),
  model_name: field.text(),
  pooling: z.enum(['cls', 'last', 'mean']).nullable().default('cls'),
  query_instruction: field.text(),
  task: field.text(),
  text_instruction: field.text(),
  timeout: field.number().describe('Seconds.'),
});

export const MANAGED_MODEL = 'managed-text-embedding-3-small';

const managed = embedding('ManagedOpenAIEmbedding', {
  model_name: z.literal(MANAGED_MODEL).nullable().default(MANAGED_MODEL),
});

const hostedApi = embedding('OpenAIEmbedding', {
  additional_kwargs: field.map(),
  api_base: field.textOr('https://api.openai.com/v1'),
  api_key: secret().nullish(),
  api_version: field.textOr(''),
  default_headers: secretMap(),
  dimensions: field.int(),
  max_retries: retries(),
  model_name: field.textOr('text-embedding-ada-002'),
  reuse_client: field.flagOr(true),
  timeout: seconds(),
});

const machineLearningPlatform = embedding('VertexTextEmbedding', {
  client_email: z.string(),
  location: z.string(),
  private_key: secret(),
  private_key_id: z.string(),
  project: z.string(),
  token_uri: z.string(),
  additional_kwargs: field.map(),
  embed_mode: z
    .enum(['classification', 'clustering', 'default', 'retrieval', 'similarity'])
    .nullable()
    .default('retrieval'),
  model_name: field.textOr('textembedding-gecko@003'),
});

export const embeddingComponents = {
  PROVIDER_A_EMBEDDING: cloudDeployment,
  PROVIDER_B_EMBEDDING: managedModelService,
  PROVIDER_C_EMBEDDING: apiKeyVendorC,
  PROVIDER_D_EMBEDDING: apiKeyVendorD,
  PROVIDER_E_EMBEDDING: modelHub,
  PROVIDER_F_EMBEDDING: managed,
  PROVIDER_G_EMBEDDING: hostedApi,
  PROVIDER_H_EMBEDDING: machineLearningPlatform,
} satisfies Record<EmbeddingType, z.ZodObject>;

export type EmbeddingComponent<Type extends EmbeddingType> = z.infer<(typeof embeddingComponents)[Type]>;

/** As it comes in: the type selects the component's shape, which `parseEmbeddingConfig` checks. */
export const embeddingConfig = z.object({
  type: embeddingType.nullish(),
  component: componentInput(embeddingComponents).nullish(),
});
