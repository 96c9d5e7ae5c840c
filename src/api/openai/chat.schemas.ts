import { z } from 'zod';
import { warningsSchema } from '#src/api/http/warnings.ts';
import { languageModelParameters } from '#src/chat/input.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { modelName } from './names.ts';

const NOT_KEPT = 'Nothing is kept of who asks, or why.';
const PROVIDER = 'It asks for something of the hosted service that this protocol was made for.';

/** Schema of a member that is accepted with any value and ignored. */
const ignored = (reason: string) => withoutEffect(z.unknown().optional(), reason);

/**
 * Schema of a request field that the service does not support and must not ignore silently. Only the value
 * that asks for nothing is accepted.
 */
function rejectUnlessNeutral<Schema extends z.ZodType>(
  schema: Schema,
  asksForNothing: (value: z.output<Schema>) => boolean,
  why: string,
) {
  return schema.refine(asksForNothing, { error: why }).nullish().describe(why);
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || Object.keys(value as object).length === 0;

const OLD_FUNCTIONS = 'Functions were replaced by tools: send the same definitions as `tools`.';
const OLD_CALLS = 'Function calls were replaced by tool calls: send `tool_calls`.';
const PARALLEL = 'The language model decides how many tools it calls at once.';
const REFUSED_SPEECH =
  'An answer is text: `text` is the only modality. Send the text to a service that speaks.';
const REFUSED_WEB =
  'The documents of the pipeline are searched and not the web: leave this field out, and add web pages as files.';
const NO_LOGPROBS = 'The probabilities of an answer are not known, and `logprobs` of the answer is null.';
const onlyText = (why: string) =>
  z
    .string()
    .refine((value) => value === 'text', { error: why })
    .meta({ enum: ['text'] });

const MAX_TOOLS = 128;
const MAX_NAME_CHARACTERS = 200;
const USE_FUNCTION = 'only tools of the type `function` can be offered: describe the tool as a function';

const tool = z.object({
  type: z.literal('function', { error: USE_FUNCTION }),
  function: z.object({
    name: z.string().regex(/^[\w.-]{1,128}$/, {
      error: 'a name consists of 1 to 128 letters, digits, underscores, dots and hyphens',
    }),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish().describe('JSON Schema of the arguments.'),
    strict: z.boolean().nullish(),
  }),
});

const toolCall = z.object({
  id: z.string().max(MAX_NAME_CHARACTERS),
  type: z.literal('function', { error: USE_FUNCTION }).optional(),
  function: z.object({
    name: z.string().max(MAX_NAME_CHARACTERS),
    arguments: z.string().nullish().describe('JSON, as the language model wrote it.'),
  }),
});

const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
]);

const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: z.string().nullish(),
      description: z.string().nullish(),
      schema: z.record(z.string(), z.unknown()).nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

const message = z.object({
  role: z.enum(['assistant', 'developer', 'function', 'system', 'tool', 'user']),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
    .nullish()
    .describe(
      'Text, or parts of the types `text`, `refusal` and `image_url`. Pictures are data: URLs or https URLs, in messages of the role `user`, for language models that take them. Parts of other types are rejected.',
    ),
  name: ignored('A speaker is known by the role alone.'),
  tool_call_id: z
    .string()
    .max(MAX_NAME_CHARACTERS)
    .nullish()
    .describe('In a message of the role `tool`, the id of the call whose output it is.'),
  tool_calls: z.array(toolCall).max(MAX_TOOLS).nullish(),
  function_call: ignored(OLD_CALLS),
  refusal: ignored('Only content is read.'),
  audio: ignored('Only content is read.'),
  annotations: ignored('What an earlier answer cited is not read again.'),
});

const count = () => z.number().int().min(1).nullish();

export const chatCompletionRequest = z.object({
  model: modelName,
  messages: z
    .array(message)
    .min(1)
    .max(2000)
    .describe('Messages of the conversation. The last question is answered from the documents.'),
  stream: z.boolean().nullish(),
  stream_options: z
    .object({
      include_usage: z.boolean().nullish(),
      include_obfuscation: ignored('Chunks are of the size of what they say.'),
    })
    .nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_completion_tokens: count(),
  max_tokens: count().describe('Same as `max_completion_tokens`, which takes precedence if both are sent.'),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  seed: z.number().int().nullish(),
  sluice: z
    .object({
      retrieval_parameters: presetRetrievalParameters.nullish(),
      llm_parameters: languageModelParameters
        .pick({
          model_name: true,
          system_prompt: true,
          use_chain_of_thought_reasoning: true,
          use_citation: true,
        })
        .nullish(),
    })
    .nullish()
    .describe('Additional options of this service: the same as `data` of its chat operation.'),

  n: rejectUnlessNeutral(
    z.number().int().meta({ minimum: 1, maximum: 1 }),
    (n) => n === 1,
    'One answer is given: send the request again for another one.',
  ),
  tools: z
    .array(tool)
    .max(MAX_TOOLS)
    .nullish()
    .describe('Functions that the language model may call. Without a language model, none is called.'),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: ignored(PARALLEL),
  functions: rejectUnlessNeutral(z.array(z.unknown()).meta({ maxItems: 0 }), isEmpty, OLD_FUNCTIONS),
  function_call: withoutEffect(z.enum(['auto', 'none']).nullish(), OLD_FUNCTIONS),
  response_format: responseFormat
    .nullish()
    .describe(
      'Text by default. Without a language model, values of a schema are extracted from the passages found.',
    ),
  modalities: z.array(onlyText(REFUSED_SPEECH)).nullish(),
  audio: rejectUnlessNeutral(z.unknown(), isEmpty, REFUSED_SPEECH),
  logprobs: withoutEffect(z.boolean().nullish(), NO_LOGPROBS),
  top_logprobs: withoutEffect(z.number().int().min(0).max(20).nullish(), NO_LOGPROBS),
  web_search_options: rejectUnlessNeutral(
    z.unknown(),
    (value) => value === null || value === undefined,
    REFUSED_WEB,
  ),

  logit_bias: ignored('The tokens of the language model are not known.'),
  prediction: ignored('An answer is made of what is found.'),
  reasoning_effort: ignored('The language model’s own settings say how it reasons.'),
  verbosity: ignored('The prompt says how the answer is to be.'),
  metadata: ignored(NOT_KEPT),
  moderation: ignored(PROVIDER),
  prompt_cache_key: ignored(PROVIDER),
  prompt_cache_options: ignored(PROVIDER),
  prompt_cache_retention: ignored(PROVIDER),
  safety_identifier: ignored(NOT_KEPT),
  service_tier: ignored(PROVIDER),
  store: ignored('Nothing of the conversation is kept.'),
  user: ignored(NOT_KEPT),
});
export type ChatCompletionRequest = z.infer<typeof chatCompletionRequest>;

const annotation = z.object({
  type: z.literal('url_citation'),
  url_citation: z.object({
    start_index: z.number().int().describe('Start of the mark in the text, in UTF-16 code units.'),
    end_index: z.number().int().describe('End of the mark, exclusive.'),
    url: z.string(),
    title: z.string(),
  }),
});
export type Annotation = z.infer<typeof annotation>;

const usage = z.object({
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
  total_tokens: z.number().int(),
});
export type Usage = z.infer<typeof usage>;

const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

export const chatCompletion = z.object({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.number().int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.literal(0),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string().nullable().describe('Null if the answer consists of tool calls.'),
        refusal: z.null(),
        annotations: z.array(annotation),
        tool_calls: z
          .array(
            z.object({
              id: z.string(),
              type: z.literal('function'),
              function: z.object({ name: z.string(), arguments: z.string() }),
            }),
          )
          .optional(),
      }),
      logprobs: z.null(),
      finish_reason: z.enum(FINISH_REASONS),
    }),
  ),
  usage,
  sluice: z.object({
    answered_by: z.string().describe('Language model or built-in answerer that wrote the answer.'),
    retrieval: z
      .record(z.string(), z.unknown())
      .describe('Notes of the search, such as the methods that were used.'),
    trace_id: z.string().optional().describe('Id of the recorded trace. Absent if none is recorded.'),
  }),
  warnings: warningsSchema.shape.warnings,
});
export type ChatCompletion = z.infer<typeof chatCompletion>;
