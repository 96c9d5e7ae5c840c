/** Product that a type of connection stands for. The API uses neutral names for the types. */
export interface Product {
  name: string;
  /** One to three letters that stand for the product in lists. */
  letters: string;
  /** Name of the page in the guide that explains how to connect the product. */
  page: string;
}

const product = (name: string, letters: string, page: string): Product => ({ name, letters, page });

const PRODUCTS: Record<string, Product> = {
  SOURCE_9_BUCKET: product('Amazon S3', 'S3', 'connect-amazon-s3'),
  SOURCE_1_BLOB: product('Azure Blob Storage', 'AB', 'connect-azure-blob-storage'),
  SOURCE_4_DRIVE: product('Google Drive', 'GD', 'connect-google-drive'),
  SOURCE_6_PERSONAL_DRIVE: product('OneDrive', 'OD', 'connect-onedrive'),
  SOURCE_7_SITE: product('SharePoint', 'SP', 'connect-sharepoint'),
  SOURCE_8_PAGE: product('Notion', 'No', 'connect-notion'),
  SOURCE_10_CHAT: product('Slack', 'Sl', 'connect-slack'),
  SOURCE_3_WIKI: product('Confluence', 'Co', 'connect-confluence'),
  SOURCE_5_ISSUES: product('Jira', 'Ji', 'connect-jira'),
  SOURCE_5_ISSUES_V2: product('Jira (all fields)', 'Ji', 'connect-jira'),
  SOURCE_2_FOLDERS: product('Box', 'Bx', 'connect-box'),
  VENDOR_G: product('Qdrant', 'Qd', 'connect-qdrant'),
  VENDOR_E: product('Pinecone', 'Pc', 'connect-pinecone'),
  VENDOR_F: product('PostgreSQL (pgvector)', 'PG', 'connect-pgvector'),
  VENDOR_C: product('Milvus', 'Mi', 'connect-milvus'),
  VENDOR_D: product('MongoDB Atlas', 'MA', 'connect-mongodb-atlas'),
  VENDOR_B_SEARCH: product('Azure AI Search', 'AS', 'connect-azure-ai-search'),
  VENDOR_H: product('OpenSearch, Elasticsearch', 'OS', 'connect-opensearch'),
  VENDOR_A_DB: product('Astra DB', 'Ad', 'connect-astra-db'),
  PROVIDER_A_EMBEDDING: product('Azure OpenAI', 'AO', 'use-your-own-models'),
  PROVIDER_B_EMBEDDING: product('Amazon Bedrock', 'Be', 'use-your-own-models'),
  PROVIDER_C_EMBEDDING: product('Cohere', 'Ch', 'use-your-own-models'),
  PROVIDER_D_EMBEDDING: product('Google Gemini', 'Ge', 'use-your-own-models'),
  PROVIDER_E_EMBEDDING: product('Hugging Face', 'HF', 'use-your-own-models'),
  PROVIDER_G_EMBEDDING: product('OpenAI', 'OA', 'use-your-own-models'),
  PROVIDER_H_EMBEDDING: product('Google Vertex AI', 'VA', 'use-your-own-models'),
};

/** Returns the product of a type of connection, or `undefined` if the type has none, such as the default model. */
export const findProduct = (type: string): Product | undefined =>
  Object.hasOwn(PRODUCTS, type) ? PRODUCTS[type] : undefined;

/** Returns the address of the guide's page about a product. */
export const buildGuideAddress = ({ page }: Product): string => `/docs/guide/how-to/${page}`;
