import { azureOpenai } from './azure-openai.ts';
import type { Behaviour } from './behaviour.ts';
import { cohere } from './cohere.ts';
import { huggingface } from './huggingface.ts';
import { openai } from './openai.ts';
import { qdrant } from './qdrant.ts';

/** One line a vendor. */
export const behaviours: readonly Behaviour[] = [azureOpenai, cohere, huggingface, openai, qdrant];
