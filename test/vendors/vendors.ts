import { astraDb } from './astra-db.ts';
import { azureAiSearch } from './azure-ai-search.ts';
import { azureOpenai } from './azure-openai.ts';
import { bedrockRuntime } from './bedrock-runtime.ts';
import type { Behaviour } from './behaviour.ts';
import { box, boxDownloads, boxToken } from './box.ts';
import { chatBehaviours } from './chat/behaviours.ts';
import { cohere } from './cohere.ts';
import { confluence, confluenceMedia } from './confluence.ts';
import { googleDrive } from './google-drive.ts';
import { googleGemini } from './google-gemini.ts';
import { googleOauthToken } from './google-oauth-token.ts';
import { googleVertex } from './google-vertex.ts';
import { huggingface } from './huggingface.ts';
import { jira, jiraMedia } from './jira.ts';
import { microsoftDownloads, microsoftGraph } from './microsoft-graph.ts';
import { microsoftToken } from './microsoft-token.ts';
import { milvus } from './milvus/behaviour.ts';
import { notion, notionFiles } from './notion.ts';
import { openai } from './openai.ts';
import { elasticsearch, opensearch } from './opensearch/behaviours.ts';
import { pineconeControl, pineconeData } from './pinecone/behaviours.ts';
import { qdrant } from './qdrant.ts';
import { rerankBehaviours } from './rerank.ts';
import { slack, slackFiles } from './slack.ts';
import { textEmbeddingsInference } from './text-embeddings-inference.ts';

/** One line a vendor. */
export const behaviours: readonly Behaviour[] = [
  astraDb,
  azureAiSearch,
  azureOpenai,
  bedrockRuntime,
  box,
  boxDownloads,
  boxToken,
  cohere,
  confluence,
  confluenceMedia,
  elasticsearch,
  googleDrive,
  googleGemini,
  googleOauthToken,
  googleVertex,
  huggingface,
  milvus,
  notion,
  notionFiles,
  jira,
  jiraMedia,
  microsoftDownloads,
  microsoftGraph,
  microsoftToken,
  openai,
  opensearch,
  pineconeControl,
  pineconeData,
  qdrant,
  slack,
  slackFiles,
  textEmbeddingsInference,
  ...chatBehaviours,
  ...rerankBehaviours,
];
