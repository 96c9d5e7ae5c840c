/** Product names that the error messages of each kind of data sink use. */
const PRODUCT_NAMES: Record<string, string> = {
  VENDOR_A_DB: 'Astra DB',
  VENDOR_B_SEARCH: 'Azure AI Search',
  VENDOR_C: 'Milvus',
  VENDOR_D: 'MongoDB Atlas',
  VENDOR_E: 'Pinecone',
  VENDOR_F: 'PostgreSQL',
  VENDOR_G: 'Qdrant',
  VENDOR_H: 'OpenSearch',
};

export const productName = (kind: string): string => PRODUCT_NAMES[kind] ?? kind;
