import { kinds } from './kinds.ts';

/**
 * Values that LlamaCloud clients use, by the API's own word for them. The API's words are unique, so one
 * table is enough. The schemas state which fields contain such words.
 */
export const CLIENT_WORDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(kinds.map(({ kind, client }) => [kind, client.word])),
  'managed-text-embedding-3-small': 'openai-text-embedding-3-small',
  LLM_MODEL_01: 'AZURE_OPENAI_GPT_4O',
  LLM_MODEL_02: 'AZURE_OPENAI_GPT_4O_MINI',
  LLM_MODEL_03: 'AZURE_OPENAI_GPT_4_1',
  LLM_MODEL_04: 'AZURE_OPENAI_GPT_4_1_MINI',
  LLM_MODEL_05: 'AZURE_OPENAI_GPT_4_1_NANO',
  LLM_MODEL_06: 'BEDROCK_CLAUDE_3_5_SONNET_V1',
  LLM_MODEL_07: 'BEDROCK_CLAUDE_3_5_SONNET_V2',
  LLM_MODEL_08: 'CLAUDE_4_5_SONNET',
  LLM_MODEL_09: 'GPT_4O',
  LLM_MODEL_10: 'GPT_4O_MINI',
  LLM_MODEL_11: 'GPT_4_1',
  LLM_MODEL_12: 'GPT_4_1_MINI',
  LLM_MODEL_13: 'GPT_4_1_NANO',
};

export const NEUTRAL_WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CLIENT_WORDS).map(([neutral, client]) => [client, neutral]),
);

/**
 * Translates one of the API's own words into the word that LlamaCloud clients use. Returns any other text
 * unchanged.
 */
export const toClientWord = (text: string): string =>
  Object.hasOwn(CLIENT_WORDS, text) ? CLIENT_WORDS[text]! : text;

/**
 * Words of the API that replace words which only LlamaCloud clients know. `warning` tells the client that the
 * request is not carried out exactly as sent.
 */
export const SUBSTITUTES: Readonly<Record<string, { neutral: string; warning: string }>> = {
  CLAUDE_3_5_SONNET: createSubstitute('LLM_MODEL_06', 'BEDROCK_CLAUDE_3_5_SONNET_V1 is used instead.'),
  VERTEX_AI_CLAUDE_3_5_SONNET_V2: createSubstitute(
    'LLM_MODEL_07',
    'BEDROCK_CLAUDE_3_5_SONNET_V2 is used instead.',
  ),
  agentic_plus: createSubstitute(
    'agentic',
    'This tier does not exist in this installation. agentic is used instead.',
  ),
  turbo: createSubstitute(
    'agentic',
    'This tier does not exist in this installation. agentic is used instead.',
  ),
};

function createSubstitute(neutral: string, warning: string) {
  return { neutral, warning };
}
