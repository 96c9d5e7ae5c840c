import { t } from '../../i18n/messages.ts';

/** Product that a type of connection stands for. The API uses neutral names for the types. */
export interface Product {
  name: string;
  /** One to three letters that stand for the product in lists. */
  letters: string;
  /** Name of the page in the guide that explains how to connect the product. */
  page: string;
}

const product = (name: string, letters: string, page: string): Product => ({ name, letters, page });

const getProducts = (): Record<string, Product> => ({
  SOURCE_9_BUCKET: product(t('Amazon S3'), 'S3', 'connect-amazon-s3'),
  SOURCE_1_BLOB: product(t('Azure Blob Storage'), 'AB', 'connect-azure-blob-storage'),
  SOURCE_4_DRIVE: product(t('Google Drive'), 'GD', 'connect-google-drive'),
  SOURCE_6_PERSONAL_DRIVE: product(t('OneDrive'), 'OD', 'connect-onedrive'),
  SOURCE_7_SITE: product(t('SharePoint'), 'SP', 'connect-sharepoint'),
  SOURCE_8_PAGE: product(t('Notion'), t('No'), 'connect-notion'),
  SOURCE_10_CHAT: product(t('Slack'), t('Sl'), 'connect-slack'),
  SOURCE_3_WIKI: product(t('Confluence'), t('Co'), 'connect-confluence'),
  SOURCE_5_ISSUES: product(t('Jira'), t('Ji'), 'connect-jira'),
  SOURCE_5_ISSUES_V2: product(t('Jira (all fields)'), t('Ji'), 'connect-jira'),
  SOURCE_2_FOLDERS: product(t('Box'), t('Bx'), 'connect-box'),
  VENDOR_G: product(t('Qdrant'), t('Qd'), 'connect-qdrant'),
  VENDOR_E: product(t('Pinecone'), t('Pc'), 'connect-pinecone'),
  VENDOR_F: product(t('PostgreSQL (pgvector)'), 'PG', 'connect-pgvector'),
  VENDOR_C: product(t('Milvus'), t('Mi'), 'connect-milvus'),
  VENDOR_D: product(t('MongoDB Atlas'), 'MA', 'connect-mongodb-atlas'),
  VENDOR_B_SEARCH: product(t('Azure AI Search'), 'AS', 'connect-azure-ai-search'),
  VENDOR_A_DB: product(t('Astra DB'), t('Ad'), 'connect-astra-db'),
  PROVIDER_A_EMBEDDING: product(t('Azure OpenAI'), 'AO', 'use-your-own-models'),
  PROVIDER_B_EMBEDDING: product(t('Amazon Bedrock'), t('Be'), 'use-your-own-models'),
  PROVIDER_C_EMBEDDING: product(t('Cohere'), t('Ch'), 'use-your-own-models'),
  PROVIDER_D_EMBEDDING: product(t('Google Gemini'), t('Ge'), 'use-your-own-models'),
  PROVIDER_E_EMBEDDING: product(t('Hugging Face'), 'HF', 'use-your-own-models'),
  PROVIDER_G_EMBEDDING: product(t('OpenAI'), 'OA', 'use-your-own-models'),
  PROVIDER_H_EMBEDDING: product(t('Google Vertex AI'), 'VA', 'use-your-own-models'),
});

/** Returns the product of a type of connection, or `undefined` if the type has none, such as the default model. */
export const findProduct = (type: string): Product | undefined =>
  Object.hasOwn(getProducts(), type) ? getProducts()[type] : undefined;

/** Returns the address of the guide's page about a product. */
export const buildGuideAddress = ({ page }: Product): string => `/docs/guide/how-to/${page}`;
