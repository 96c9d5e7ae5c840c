import { azureOpenai } from './azure-openai.ts';
import type { Behaviour } from './behaviour.ts';
import { chatBehaviours } from './chat/behaviours.ts';
import { cohere } from './cohere.ts';
import { googleOauthToken } from './google-oauth-token.ts';
import { huggingface } from './huggingface.ts';
import { openai } from './openai.ts';
import { rerankBehaviours } from './rerank.ts';

/** One line a vendor. */
export const behaviours: readonly Behaviour[] = [
  azureOpenai,
  cohere,
  googleOauthToken,
  huggingface,
  openai,
  ...chatBehaviours,
  ...rerankBehaviours,
];
