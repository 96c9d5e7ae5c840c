import { azureOpenai } from './azure-openai.ts';
import { bedrockRuntime } from './bedrock-runtime.ts';
import type { Behaviour } from './behaviour.ts';
import { box, boxDownloads, boxToken } from './box.ts';
import { chatBehaviours } from './chat/behaviours.ts';
import { cohere } from './cohere.ts';
import { googleGemini } from './google-gemini.ts';
import { googleOauthToken } from './google-oauth-token.ts';
import { googleVertex } from './google-vertex.ts';
import { huggingface } from './huggingface.ts';
import { microsoftDownloads, microsoftGraph } from './microsoft-graph.ts';
import { microsoftToken } from './microsoft-token.ts';
import { openai } from './openai.ts';
import { qdrant } from './qdrant.ts';
import { rerankBehaviours } from './rerank.ts';
import { slack, slackFiles } from './slack.ts';

/** One line a vendor. */
export const behaviours: readonly Behaviour[] = [
  azureOpenai,
  bedrockRuntime,
  box,
  boxDownloads,
  boxToken,
  cohere,
  googleGemini,
  googleOauthToken,
  googleVertex,
  huggingface,
  microsoftDownloads,
  microsoftGraph,
  microsoftToken,
  openai,
  qdrant,
  slack,
  slackFiles,
  ...chatBehaviours,
  ...rerankBehaviours,
];
