import { z } from 'zod';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import type { ToolCall, TurnPicture } from './model-request.ts';

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

/** Maximum length in characters of an id that a client chose. */
export const MAX_ID_CHARACTERS = 200;

export const MAX_MESSAGES = 10_000;

const textPart = z.looseObject({ type: z.string(), text: z.string().optional() });

/**
 * Chat message in either of two formats: text in `content` as in the API specification, or `parts` as browser
 * chat components send them.
 */
const inputMessage = z
  .object({
    id: z
      .string()
      .max(MAX_ID_CHARACTERS)
      .nullish()
      .describe(
        'Id of the message. A message that is sent again with the same id is stored once, and its new answer replaces the earlier one.',
      ),
    role: z.enum(MESSAGE_ROLES),
    content: z.string().nullish(),
    parts: z.array(textPart).nullish(),
    data: z.record(z.string(), z.unknown()).nullish(),
    class_name: z.string().nullish(),
  })
  .refine((message) => typeof message.content === 'string' || Array.isArray(message.parts), {
    message: 'a message needs `content` (text) or `parts` (UI message)',
    path: ['content'],
  });

const LANGUAGE_MODELS = Array.from(
  { length: 13 },
  (_, index) => `LLM_MODEL_${String(index + 1).padStart(2, '0')}`,
);

export const languageModelParameters = z.object({
  class_name: z.string().nullish(),
  // The allowed model names depend on the installation, so unknown names are rejected only after validation.
  model_name: z
    .string()
    .max(64)
    .meta({ enum: LANGUAGE_MODELS })
    .nullish()
    .describe(
      'Name of a configured model. An unknown name is rejected with 422, and the message lists the configured names.',
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
    .max(MAX_ID_CHARACTERS)
    .nullish()
    .describe('Id of the chat, chosen by the client. An answer can be resumed or stopped by this id.'),
  session_id: uuid()
    .nullish()
    .describe(
      'Session of the caller to which the question and the answer are added. The default is the playground session.',
    ),
  resumable: z
    .boolean()
    .nullish()
    .describe('If false, the answer ends when this connection closes, even if the chat has an id.'),
  trigger: z
    .enum(['submit-message', 'regenerate-message'])
    .nullish()
    .describe(
      '`regenerate-message` answers a question again. The new answer replaces the earlier one, and the messages after ' +
        'the question are deleted.',
    ),
  messageId: z
    .string()
    .max(MAX_ID_CHARACTERS)
    .nullish()
    .describe(
      'With `regenerate-message`, the id of the answer or question, by default the last question. Otherwise the id of an ' +
        'earlier question, which this question replaces. The messages after that question are deleted.',
    ),
  messages: z.array(inputMessage).max(MAX_MESSAGES).nullish(),
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

/** Optional settings for the language model, such as `topP`. Not every vendor supports all of them. */
export const generationSettings = z.object({
  maxOutputTokens: z.number().optional(),
  topP: z.number().optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  stopSequences: z.array(z.string()).optional(),
  seed: z.number().optional(),
});
export type GenerationSettings = z.infer<typeof generationSettings>;

/**
 * Message of a conversation as plain text. `data` is the output of a tool or function, which the model reads
 * but does not follow.
 */
export interface Turn {
  role: 'system' | 'user' | 'assistant' | 'data';
  text: string;
  /** Pictures that the user sent with the text. Only language models read them. */
  pictures?: TurnPicture[] | undefined;
  id?: string | undefined;
  /** Tools of the client that the assistant called. */
  toolCalls?: ToolCall[] | undefined;
  /** Id of the call whose output the text is. */
  toolCallId?: string | undefined;
}

export const TURN_ROLES = {
  assistant: 'assistant',
  chatbot: 'assistant',
  model: 'assistant',
  developer: 'system',
  system: 'system',
  user: 'user',
  function: 'data',
  tool: 'data',
} as const satisfies Record<(typeof MESSAGE_ROLES)[number], Turn['role']>;

/** Converts chat messages to plain text. Parts other than text, and messages without text, are left out. */
export function toTurns(messages: ChatRequest['messages']): Turn[] {
  return (messages ?? []).flatMap(({ id, role, content, parts }) => {
    const text = content ?? (parts ?? []).map((part) => part.text ?? '').join('');
    return text.trim() === '' ? [] : [{ role: TURN_ROLES[role], text, ...(id && { id }) }];
  });
}

export const listQuestions = (turns: readonly Turn[]): string[] =>
  turns.filter(({ role }) => role === 'user').map(({ text }) => text);
