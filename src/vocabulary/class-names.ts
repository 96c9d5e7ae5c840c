/** What components of each kind say of themselves in `class_name`, unless their owner said something else. */
export const CLASS_NAMES: Readonly<Record<string, string>> = {
  VENDOR_A_DB: 'CloudAstraDBVectorStore',
  VENDOR_B_SEARCH: 'CloudAzureAISearchVectorStore',
  VENDOR_C: 'CloudMilvusVectorStore',
  VENDOR_D: 'CloudMongoDBAtlasVectorSearch',
  VENDOR_E: 'CloudPineconeVectorStore',
  VENDOR_F: 'CloudPostgresVectorStore',
  VENDOR_G: 'CloudQdrantVectorStore',
  SOURCE_1_BLOB: 'CloudAzStorageBlobDataSource',
  SOURCE_2_FOLDERS: 'CloudBoxDataSource',
  SOURCE_3_WIKI: 'CloudConfluenceDataSource',
  SOURCE_4_DRIVE: 'CloudGoogleDriveDataSource',
  SOURCE_5_ISSUES: 'CloudJiraDataSource',
  SOURCE_5_ISSUES_V2: 'CloudJiraDataSourceV2',
  SOURCE_6_PERSONAL_DRIVE: 'CloudOneDriveDataSource',
  SOURCE_7_SITE: 'CloudSharepointDataSource',
  SOURCE_8_PAGE: 'CloudNotionPageDataSource',
  SOURCE_9_BUCKET: 'CloudS3DataSource',
  SOURCE_10_CHAT: 'CloudSlackDataSource',
  PROVIDER_A_EMBEDDING: 'AzureOpenAIEmbedding',
  PROVIDER_B_EMBEDDING: 'BedrockEmbedding',
  PROVIDER_C_EMBEDDING: 'CohereEmbedding',
  PROVIDER_D_EMBEDDING: 'GeminiEmbedding',
  PROVIDER_E_EMBEDDING: 'HuggingFaceInferenceAPIEmbedding',
  PROVIDER_F_EMBEDDING: 'ManagedOpenAIEmbedding',
  PROVIDER_G_EMBEDDING: 'OpenAIEmbedding',
  PROVIDER_H_EMBEDDING: 'VertexTextEmbedding',
};

/** The kind that a component tells by its `class_name` alone. */
export const kindOfClass = (className: unknown): string | undefined =>
  Object.keys(CLASS_NAMES).find((kind) => CLASS_NAMES[kind] === className);
