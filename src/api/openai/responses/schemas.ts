import { z } from 'zod';
import { warningsSchema } from '#src/api/http/warnings.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { chatCompletion, chatCompletionRequest } from '../chat.schemas.ts';
import { modelName } from '../names.ts';
import { optionalFilter } from '../vector-stores/filters.ts';
import { rankingOptions } from '../vector-stores/ranking.ts';

const NOT_STORED = 'Items are read as they are sent.';
const PROVIDER = 'It asks for something of the hosted service that this protocol was made for.';
const ALL_ITEMS =
  'conversations are not stored as objects: leave this field out, and send `previous_response_id` or the earlier items in `input`';
const NOW = 'answers are given while the client waits: leave this field out';
const ignored = (reason: string) => withoutEffect(z.unknown().optional(), reason);
const refused = (why: string) =>
  z
    .unknown()
    .refine((value) => value === undefined || value === null || value === false, { error: why })
    .optional()
    .describe(why);

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(part)]);
const callId = z.string().max(200);

const message = z.object({
  type: z.literal('message').optional(),
  role: z.enum(['assistant', 'developer', 'system', 'user']),
  content,
  id: ignored(NOT_STORED),
  status: ignored(NOT_STORED),
  phase: ignored('An earlier answer is read whatever its phase was.'),
});
const functionCall = z.object({
  type: z.literal('function_call'),
  call_id: callId,
  name: z.string().max(200),
  arguments: z.string(),
  id: ignored(NOT_STORED),
  status: ignored(NOT_STORED),
});
const functionOutput = z.object({
  type: z.literal('function_call_output'),
  call_id: callId,
  output: content,
  id: ignored(NOT_STORED),
  status: ignored(NOT_STORED),
});
/** Other items, such as the reasoning or the searches of an earlier response. They are not read. */
const otherItem = z.looseObject({
  type: z
    .string()
    .refine(
      (type) => !['message', 'function_call', 'function_call_output', 'item_reference'].includes(type),
      {
        error: 'this item is incomplete, or refers to one that is not stored: send the item itself',
      },
    ),
});

const functionTool = z.object({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});
/** Maximum number of vector stores that are searched together. */
const MAX_STORES = 20;
const fileSearch = z.object({
  type: z.literal('file_search'),
  vector_store_ids: z
    .array(z.string().max(200).toLowerCase())
    .max(MAX_STORES)
    .nullish()
    .describe(
      'Ids of the vector stores that are searched together, of one project. By default, `model` names what is searched.',
    ),
  max_num_results: z.number().int().min(1).max(50).nullish(),
  filters: optionalFilter,
  ranking_options: rankingOptions
    .extend({
      score_threshold: ignored('Send `sluice.retrieval_parameters.dense_similarity_cutoff` instead.'),
    })
    .nullish(),
});

const format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    name: z.string().nullish(),
    description: z.string().nullish(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
  }),
]);

const chat = chatCompletionRequest.shape;

export const responseRequest = z.object({
  model: modelName.describe(
    'Name of a pipeline or retriever, or `pipeline-<id>` or `retriever-<id>`. Not looked up if a `file_search` tool names a vector store.',
  ),
  input: z
    .union([
      z.string(),
      z
        .array(z.union([message, functionCall, functionOutput, otherItem]))
        .min(1)
        .max(2000),
    ])
    .describe('A question, or the items of the conversation. Items of other types are not read.'),
  instructions: z.string().nullish().describe('Instructions to the language model, before all items.'),
  stream: z.boolean().nullish(),
  temperature: chat.temperature,
  top_p: chat.top_p,
  max_output_tokens: z.number().int().min(1).nullish(),
  tools: z
    .array(z.union([functionTool, fileSearch]))
    .max(128)
    .nullish(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.object({ type: z.literal('function'), name: z.string() }),
      z.object({ type: z.literal('file_search') }),
    ])
    .nullish(),
  text: z
    .object({ format: format.nullish(), verbosity: ignored('The prompt says how the answer is to be.') })
    .nullish(),
  include: z
    .array(z.string())
    .nullish()
    .describe('`file_search_call.results` adds the passages found. Other values are ignored.'),
  metadata: z.record(z.string(), z.string()).nullish().describe('Returned as it is.'),
  sluice: chat.sluice,

  previous_response_id: z
    .string()
    .max(200)
    .nullish()
    .describe('Id of a stored response whose conversation is continued.'),
  store: z
    .boolean()
    .nullish()
    .describe('With true, the response can be read and continued for 30 days. By default, it is not stored.'),
  conversation: refused(ALL_ITEMS),
  background: refused(NOW),
  prompt: refused('prompts are not stored: send `instructions` and `input`'),
  parallel_tool_calls: ignored('The language model decides how many tools it calls at once.'),
  max_tool_calls: ignored('The documents are searched once per response.'),
  reasoning: ignored('The language model’s own settings say how it reasons.'),
  truncation: ignored('The whole conversation is read.'),
  top_logprobs: ignored('The probabilities of an answer are not known.'),
  stream_options: ignored('Events are of the size of what they say.'),
  context_management: ignored('The whole conversation is read.'),
  moderation: ignored(PROVIDER),
  prompt_cache_key: ignored(PROVIDER),
  prompt_cache_options: ignored(PROVIDER),
  prompt_cache_retention: ignored(PROVIDER),
  safety_identifier: ignored('Nothing is kept of who asks, or why.'),
  service_tier: ignored(PROVIDER),
  user: ignored('Nothing is kept of who asks, or why.'),
});
export type ResponseRequest = z.output<typeof responseRequest>;

export const annotation = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('file_citation'),
    file_id: z.string().describe('Id of the file, or of the document if it is a text.'),
    filename: z.string(),
    index: z.number().int().describe('Place of the citation mark in the text, in UTF-16 code units.'),
  }),
  z.object({
    type: z.literal('url_citation'),
    url: z.string(),
    title: z.string(),
    start_index: z.number().int(),
    end_index: z.number().int(),
  }),
]);
export type ResponseAnnotation = z.infer<typeof annotation>;

const status = z.enum(['in_progress', 'completed', 'incomplete', 'failed']);

const outputItem = z.discriminatedUnion('type', [
  z.object({
    id: z.string(),
    type: z.literal('file_search_call'),
    status,
    queries: z.array(z.string()),
    results: z
      .array(
        z.object({
          file_id: z.string(),
          filename: z.string(),
          text: z.string(),
          score: z.number().nullable(),
        }),
      )
      .nullable(),
  }),
  z.object({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    status,
    content: z.array(
      z.object({
        type: z.literal('output_text'),
        text: z.string(),
        annotations: z.array(annotation),
        logprobs: z.array(z.unknown()).meta({ maxItems: 0 }),
      }),
    ),
  }),
  z.object({
    id: z.string(),
    type: z.literal('function_call'),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    status,
  }),
]);
export type OutputItem = z.infer<typeof outputItem>;

export const responseObject = z.object({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.number().int(),
  status,
  background: z.literal(false),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: z.number().int().nullable(),
  model: z.string(),
  output: z.array(outputItem),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.string().nullable(),
  store: z.boolean().describe('Whether the response can be read again.'),
  temperature: z.number().nullable(),
  text: z.unknown(),
  tool_choice: z.unknown(),
  tools: z.array(z.unknown()),
  top_p: z.number().nullable(),
  truncation: z.literal('disabled'),
  usage: z
    .object({
      input_tokens: z.number().int(),
      input_tokens_details: z.object({ cached_tokens: z.literal(0) }),
      output_tokens: z.number().int(),
      output_tokens_details: z.object({ reasoning_tokens: z.literal(0) }),
      total_tokens: z.number().int(),
    })
    .nullable(),
  metadata: z.record(z.string(), z.string()),
  sluice: chatCompletion.shape.sluice,
  warnings: warningsSchema.shape.warnings,
});
export type ResponseObject = z.infer<typeof responseObject>;
