/**
 * Product names that the API must not contain. Words from the specification itself, such as `bm25`, `splade`
 * and class_name values, are allowed.
 */
const VENDORS =
  /azure|openai|bedrock|amazon|\baws|cohere|gemini|google|hugging|vertex|gecko|titan|ada-002|postgres|pgvector|pinecone|qdrant|opensearch|elastic|milvus|mongo|astra|slack|notion|jira|confluence|atlassian|sharepoint|onedrive|microsoft|dropbox|cloudflare|workers.ai|llama|anthropic|claude|\bgpt|mistral|voyage|\bs3\b/gi;

/** Returns each product name in a text with its surroundings. */
export function vendorWords(text: string): string[] {
  return [...text.matchAll(VENDORS)].map(({ index }) => text.slice(Math.max(0, index - 60), index + 40));
}
