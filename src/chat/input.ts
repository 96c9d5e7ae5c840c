import { z } from 'zod';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';

export const MESSAGE_ROLES = [
  'assistant',
  'chatbot',
  'developer',
  'function',
  'model',
  'system',
  'tool',
  'user',
] as const;

/** Clients make ids of their own. */
export const LONGEST_ID = 200;

/** Messages of a request. */
export const MOST_MESSAGES = 10_000;

const textPart = z.looseObject({ type: z.string(), text: z.string().optional() });

/** A message as the specification has it (`content`), or as browser chat components send it (`parts`). */
const inputMessage = z
  .object({
    id: z
      .string()
      .max(LONGEST_ID)
      .nullish()
      .describe(
        'A message that comes again under its id is kept once, and its answer replaces the earlier one.',
      ),
    role: z.enum(MESSAGE_ROLES),
    content: z.string().nullish(),
    parts: z.array(textPart).nullish(),
    data: z.record(z.string(), z.unknown()).nullish(),
    class_name: z.string().nullish(),
  })
  .refine((message) => typeof message.content === 'string' || Array.isArray(message.parts), {
    message: 'a message needs content (text) or parts (UI message)',
    path: ['content'],
  });

const LANGUAGE_MODELS = Array.from(
  { length: 13 },
  (_, index) => `LLM_MODEL_${String(index + 1).padStart(2, '0')}`,
);

export const languageModelParameters = z.object({
  class_name: z.string().nullish(),
  // The names that an installation really has are its own; whoever knows them refuses the others.
  model_name: z
    .string()
    .max(64)
    .meta({ enum: LANGUAGE_MODELS })
    .nullish()
    .describe(
      'A model that this installation has under the name; others are refused with 422, which names those.',
    ),
  system_prompt: z.string().max(3000).nullish(),
  temperature: z.number().nullish(),
  use_chain_of_thought_reasoning: z.boolean().nullish(),
  use_citation: z.boolean().nullish(),
});
export type LanguageModelParameters = z.infer<typeof languageModelParameters>;

export const chatRequest = z.object({
  id: z
    .string()
    .max(LONGEST_ID)
    .nullish()
    .describe('What the client calls the chat. Under it the answer can be resumed or stopped.'),
  session_id: uuid()
    .nullish()
    .describe(
      'A session of the caller’s that question and answer are added to; the playground session if absent.',
    ),
  resumable: z
    .boolean()
    .nullish()
    .describe('false: the answer ends with this connection, though the chat has an id.'),
  trigger: z
    .enum(['submit-message', 'regenerate-message'])
    .nullish()
    .describe(
      '`regenerate-message`: the question is answered once more. It stays in the session once, its new answer takes ' +
        'the place of the earlier one, and what was said after it goes.',
    ),
  messageId: z
    .string()
    .max(LONGEST_ID)
    .nullish()
    .describe(
      'With that trigger the answer, or the question; the last question if absent. Without it a question that is asked ' +
        'otherwise: it is replaced, and what was said after it goes.',
    ),
  messages: z.array(inputMessage).max(MOST_MESSAGES).nullish(),
  data: z
    .object({
      retrieval_parameters: presetRetrievalParameters.nullish(),
      llm_parameters: languageModelParameters.nullish(),
      class_name: z.string().nullish(),
    })
    .nullish(),
  class_name: z.string().nullish(),
});
export type ChatRequest = z.infer<typeof chatRequest>;

/** How a language model is to write, besides what its parameters say. Vendors may know fewer of these. */
export const generationSettings = z.object({
  /** Tokens. */
  maxOutputTokens: z.number().optional(),
  topP: z.number().optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  stopSequences: z.array(z.string()).optional(),
  seed: z.number().optional(),
});
export type GenerationSettings = z.infer<typeof generationSettings>;

/** `data`: what a tool or function gave; the model reads it and takes no orders from it. */
export interface Turn {
  role: 'system' | 'user' | 'assistant' | 'data';
  text: string;
  /** What its client calls the message. */
  id?: string;
}

const ROLE_OF = {
  assistant: 'assistant',
  chatbot: 'assistant',
  model: 'assistant',
  developer: 'system',
  system: 'system',
  user: 'user',
  function: 'data',
  tool: 'data',
} as const satisfies Record<(typeof MESSAGE_ROLES)[number], Turn['role']>;

/** The conversation as plain turns; messages without text, and parts that are not text, are left out. */
export function turnsOf(messages: ChatRequest['messages']): Turn[] {
  return (messages ?? []).flatMap(({ id, role, content, parts }) => {
    const text = content ?? (parts ?? []).map((part) => part.text ?? '').join('');
    return text.trim() === '' ? [] : [{ role: ROLE_OF[role], text, ...(id && { id }) }];
  });
}

/** What was asked, in order. */
export const questionsOf = (turns: readonly Turn[]): string[] =>
  turns.filter(({ role }) => role === 'user').map(({ text }) => text);
