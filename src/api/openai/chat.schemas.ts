import { z } from 'zod';
import { warningsSchema } from '#src/api/http/warnings.ts';
import { languageModelParameters } from '#src/chat/input.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { modelName } from './names.ts';

const NO_TOOLS = 'A pipeline calls no tools of its clients.';
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

const REFUSED_TOOLS = `${NO_TOOLS} They are refused.`;
const REFUSED_FORMAT = 'An answer is text with marks; `text` is the only format.';
const REFUSED_SPEECH = 'An answer is text; `text` is the only modality.';
const REFUSED_WEB = 'The documents of the pipeline are searched, and not the web.';
const REFUSED_LOGPROBS = 'The probabilities of an answer are not known.';
const tools = () => rejectUnlessNeutral(z.array(z.unknown()).meta({ maxItems: 0 }), isEmpty, REFUSED_TOOLS);
const onlyText = (why: string) =>
  z
    .string()
    .refine((value) => value === 'text', { error: why })
    .meta({ enum: ['text'] });

const message = z.object({
  role: z.enum(['assistant', 'developer', 'function', 'system', 'tool', 'user']),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
    .nullish()
    .describe('Text, or parts of the types `text` and `refusal`. Parts of other types are rejected.'),
  name: ignored('A speaker is known by the role alone.'),
  tool_call_id: ignored(NO_TOOLS),
  tool_calls: ignored(NO_TOOLS),
  function_call: ignored(NO_TOOLS),
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
    'One answer is given, and no more.',
  ),
  tools: tools(),
  tool_choice: withoutEffect(z.enum(['auto', 'none']).nullish(), NO_TOOLS),
  parallel_tool_calls: ignored(NO_TOOLS),
  functions: tools(),
  function_call: withoutEffect(z.enum(['auto', 'none']).nullish(), NO_TOOLS),
  response_format: z.object({ type: onlyText(REFUSED_FORMAT) }).nullish(),
  modalities: z.array(onlyText(REFUSED_SPEECH)).nullish(),
  audio: rejectUnlessNeutral(z.unknown(), isEmpty, REFUSED_SPEECH),
  logprobs: rejectUnlessNeutral(z.boolean().meta({ enum: [false] }), (wanted) => !wanted, REFUSED_LOGPROBS),
  top_logprobs: rejectUnlessNeutral(
    z.number().int().meta({ minimum: 0, maximum: 0 }),
    (n) => n === 0,
    REFUSED_LOGPROBS,
  ),
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

const FINISH_REASONS = ['stop', 'length', 'content_filter'] as const;
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
        content: z.string(),
        refusal: z.null(),
        annotations: z.array(annotation),
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
