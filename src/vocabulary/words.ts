import { kinds } from './kinds.ts';

/**
 * The words of the API's neutral tongue, and those that clients of the hosted original use for the same. Neutral
 * words are like no others, so one table serves all positions; which positions hold such words, the schemas say.
 */
export const WORDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(kinds.map(({ kind, client }) => [kind, client.word])),
  // the name of an embedding model
  'managed-text-embedding-3-small': 'openai-text-embedding-3-small',
  // the name of a language model
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
  Object.entries(WORDS).map(([neutral, client]) => [client, neutral]),
);

/** A text that is a neutral word as clients know it; any other as it is. */
export const wordForClient = (text: string): string => (Object.hasOwn(WORDS, text) ? WORDS[text]! : text);

/**
 * Words that only clients have, each with the neutral one that does instead. Where less is done than was asked for,
 * `told` says so to who sent it.
 */
export const STAND_INS: Readonly<Record<string, { neutral: string; told: string }>> = {
  CLAUDE_3_5_SONNET: standIn('LLM_MODEL_06', 'BEDROCK_CLAUDE_3_5_SONNET_V1 answers for it.'),
  VERTEX_AI_CLAUDE_3_5_SONNET_V2: standIn('LLM_MODEL_07', 'BEDROCK_CLAUDE_3_5_SONNET_V2 answers for it.'),
  agentic_plus: standIn('agentic', 'There is no such tier here: agentic is used.'),
  turbo: standIn('agentic', 'There is no such tier here: agentic is used.'),
};

function standIn(neutral: string, told: string) {
  return { neutral, told };
}
