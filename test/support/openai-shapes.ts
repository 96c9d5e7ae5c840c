import { z } from 'zod';

// Answer schemas of the OpenAI protocol: required members and the optional members that this service returns.
// Only `sluice` and `warnings` may be added.

const count = z.number().int().min(0);

export const model = z.strictObject({
  id: z.string(),
  object: z.literal('model'),
  created: count,
  owned_by: z.string(),
  sluice: z.object({}),
});
export const modelList = z.strictObject({ object: z.literal('list'), data: z.array(model) });

const annotation = z.strictObject({
  type: z.literal('url_citation'),
  url_citation: z.strictObject({ start_index: count, end_index: count, url: z.url(), title: z.string() }),
});
const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);
const calledTool = {
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
};
const usage = z.strictObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count });
const own = {
  sluice: z.object({}).optional(),
  warnings: z.array(z.strictObject({ field: z.string(), reason: z.string() })).optional(),
};

export const completion = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: count,
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: count,
      message: z.strictObject({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.string().nullable(),
        annotations: z.array(annotation).optional(),
        tool_calls: z.array(z.strictObject(calledTool)).optional(),
      }),
      logprobs: z.null(),
      finish_reason: finishReason,
    }),
  ),
  usage,
  ...own,
});

export const completionChunk = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: count,
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: count,
      delta: z.strictObject({
        role: z.literal('assistant').optional(),
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        // Missing in the published schema of chunks, but sent with citations.
        annotations: z.array(annotation).optional(),
        tool_calls: z.array(z.strictObject({ index: count, ...calledTool })).optional(),
      }),
      logprobs: z.null().optional(),
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: usage.nullish(),
  ...own,
});
export type CompletionChunk = z.infer<typeof completionChunk>;

export const embeddings = z.strictObject({
  object: z.literal('list'),
  model: z.string(),
  data: z.array(
    z.strictObject({
      object: z.literal('embedding'),
      index: count,
      embedding: z.union([z.array(z.number()), z.base64()]),
    }),
  ),
  usage: z.strictObject({ prompt_tokens: count, total_tokens: count }),
  ...own,
});

export const failure = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});
