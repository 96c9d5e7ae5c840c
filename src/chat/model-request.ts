import { z } from 'zod';

/** Function that the client offers to the language model. The client runs it, never this service. */
const offeredTool = z.object({
  name: z.string(),
  description: z.string().optional(),
  /** JSON Schema of the arguments. */
  parameters: z.record(z.string(), z.unknown()),
  strict: z.boolean().optional(),
});
export type OfferedTool = z.infer<typeof offeredTool>;

/** Call of a client's tool. `arguments` is JSON as the language model wrote it. */
const toolCall = z.object({ id: z.string(), name: z.string(), arguments: z.string() });
export type ToolCall = z.infer<typeof toolCall>;

const turnPicture = z.object({ mediaType: z.string(), bytes: z.instanceof(Uint8Array) });
export type TurnPicture = z.infer<typeof turnPicture>;

const turn = z.object({
  role: z.enum(['system', 'user', 'assistant', 'data']),
  text: z.string(),
  pictures: z.array(turnPicture).optional(),
  id: z.string().optional(),
  toolCalls: z.array(toolCall).optional(),
  toolCallId: z.string().optional(),
});

/** Format of an answer as JSON. Without a schema, any object is accepted. */
const answerFormat = z.object({
  schema: z.record(z.string(), z.unknown()).optional(),
  isStrict: z.boolean(),
});
export type AnswerFormat = z.infer<typeof answerFormat>;

export const TASK_KINDS = ['title', 'tags', 'follow_ups', 'queries', 'question', 'summary', 'other'] as const;

/**
 * Task about the conversation itself that a chat front end sends as a prompt, such as writing its title. It is
 * answered without a search.
 */
const frontEndTask = z.object({
  kind: z.enum(TASK_KINDS),
  conversation: z.array(turn),
  /** Members of the JSON object that the prompt asks for. Absent if it asks for plain text. */
  shape: z.record(z.string(), z.enum(['text', 'list', 'object'])).optional(),
});
export type FrontEndTask = z.infer<typeof frontEndTask>;

/**
 * Request of a client that wants more than an answer in plain text, as clients of the OpenAI protocol do. Its `turns`
 * replace the messages of the chat request, because only they contain tool calls.
 */
export const modelRequest = z.object({
  turns: z.array(turn),
  tools: z.array(offeredTool).optional(),
  toolChoice: z.union([z.enum(['auto', 'none', 'required']), z.object({ name: z.string() })]).optional(),
  format: answerFormat.optional(),
  task: frontEndTask.optional(),
});
export type ModelRequest = z.infer<typeof modelRequest>;
