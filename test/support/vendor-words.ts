/**
 * Names of systems that the wire does not know: the specification has neutral words for them. The words that it prints
 * itself are no vendors' (`bm25`, `splade`, the names of class_name values in nodes).
 */
const VENDORS =
  /azure|openai|bedrock|amazon|\baws|cohere|gemini|google|hugging|vertex|gecko|titan|ada-002|postgres|pgvector|pinecone|qdrant|milvus|mongo|astra|slack|notion|jira|confluence|atlassian|sharepoint|onedrive|microsoft|dropbox|cloudflare|workers.ai|llama|anthropic|claude|\bgpt|mistral|voyage|\bs3\b/gi;

/** Each vendor's name in a text, with what is around it. */
export function vendorWords(text: string): string[] {
  return [...text.matchAll(VENDORS)].map(({ index }) => text.slice(Math.max(0, index - 60), index + 40));
}
