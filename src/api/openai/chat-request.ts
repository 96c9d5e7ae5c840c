import { listBuiltinWarnings } from '#src/chat/builtin-warnings.ts';
import { recogniseTask } from '#src/chat/front-end-tasks/recognise-task.ts';
import { type ChatRequest, type GenerationSettings, TURN_ROLES, type Turn } from '#src/chat/input.ts';
import type { AnswerFormat, ModelRequest, OfferedTool, TurnPicture } from '#src/chat/model-request.ts';
import { validateSchema } from '#src/json-schema/rules.ts';
import { Invalid } from '#src/lib/errors.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import type { ChatCompletionRequest } from './chat.schemas.ts';
import { findSchema } from './schema-in-prompt.ts';

/** Name of the request field that contains Sluice's own chat options. */
export const OPTIONS = 'sluice';

/** Names of the generation settings: the AI SDK's name as key, the OpenAI protocol's name as value. */
const SETTINGS = {
  maxOutputTokens: 'max_completion_tokens',
  topP: 'top_p',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  stopSequences: 'stop',
  seed: 'seed',
} as const satisfies Record<keyof GenerationSettings, keyof ChatCompletionRequest>;

const NO_MODEL =
  'The built-in answerer quotes passages and is steered by no settings; a language model would be.';
const NO_TOOLS = 'Without a language model, no tool is called. Configure one, or ignore this warning.';
const ONLY_ANSWER =
  'Without a language model and without a schema, the object has one member, `answer`. Send a JSON Schema to have its values extracted.';
const UNSUPPORTED = 'The language model that answers has no such setting.';

type Message = ChatCompletionRequest['messages'][number];
type Tool = NonNullable<ChatCompletionRequest['tools']>[number];

/** Converts a request of the OpenAI protocol to a conversation with options for Sluice's chat service. */
export function toChatRequest({ messages, temperature, sluice }: ChatCompletionRequest): ChatRequest {
  const asked = { temperature, ...sluice?.llm_parameters };
  return {
    messages: messages.map((each, index) => ({ role: each.role, content: readText(each, index) })),
    data: { retrieval_parameters: sluice?.retrieval_parameters, llm_parameters: asked },
  };
}

/** Returns what a request asks for besides an answer in plain text. */
export function toModelRequest(
  request: ChatCompletionRequest,
  { messages = [] }: ChatRequest,
  pictures: readonly TurnPicture[][] = [],
): ModelRequest {
  const turns = request.messages.map((each, index) =>
    toTurn(each, messages![index]!.content!, pictures[index]),
  );
  const choice = request.tool_choice;
  const schema = findRequestedSchema(request);
  const type = request.response_format?.type;
  const asked = {
    turns: turns.filter(
      ({ text, pictures, toolCalls, toolCallId }) =>
        text.trim() !== '' || pictures || toolCalls || toolCallId,
    ),
    ...(request.tools && { tools: request.tools.map(toOfferedTool) }),
    ...(choice && { toolChoice: typeof choice === 'string' ? choice : { name: choice.function.name } }),
    ...((type === 'json_object' || type === 'json_schema') && { format: schema }),
  };
  const task = recogniseTask(asked);
  return { ...asked, ...(task && { task }) };
}

function toTurn(
  { role, tool_calls, tool_call_id }: Message,
  text: string,
  pictures: TurnPicture[] = [],
): Turn {
  const calls = tool_calls?.map(({ id, function: { name, arguments: given } }) => ({
    id,
    name,
    arguments: given ?? '',
  }));
  return {
    role: TURN_ROLES[role],
    text,
    ...(pictures.length > 0 && { pictures }),
    ...(role === 'assistant' && calls && calls.length > 0 && { toolCalls: calls }),
    ...(role === 'tool' && tool_call_id && { toolCallId: tool_call_id }),
  };
}

const toOfferedTool = ({ function: { name, description, parameters, strict } }: Tool): OfferedTool => ({
  name,
  parameters: parameters ?? { type: 'object', properties: {} },
  ...(typeof description === 'string' && { description }),
  ...(typeof strict === 'boolean' && { strict }),
});

/**
 * Returns the schema of the requested JSON. With `json_object`, clients write the schema into the prompt, because the
 * protocol has no other place for it.
 */
function findRequestedSchema({ response_format: format, messages }: ChatCompletionRequest): AnswerFormat {
  if (format?.type === 'json_schema' && format.json_schema.schema) {
    return { schema: format.json_schema.schema, isStrict: format.json_schema.strict === true };
  }
  const prompts = messages.filter(({ role }) => role !== 'assistant').map(({ content }) => content);
  const schema = prompts
    .toReversed()
    .map((content) => (typeof content === 'string' ? findSchema(content) : undefined))
    .find((each) => each !== undefined);
  return { isStrict: false, ...(schema && { schema }) };
}

/** Returns the text of a message. A message that only calls a tool, or only has pictures, has an empty text. */
export function readText({ content }: Message, index = 0): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part, at) => readPartText(part, ['messages', index, 'content', at])).join('');
}

function readPartText(part: { [name: string]: unknown }, path: (string | number)[]): string {
  const { type } = part;
  if (type === 'image_url') return '';
  if (type !== 'text' && type !== 'refusal') {
    throw Invalid.field(
      [...path, 'type'],
      'a part should be text or a picture (`image_url`): upload sound and files to the pipeline, where they are read',
    );
  }
  const text = part[type];
  if (typeof text !== 'string') throw Invalid.field([...path, type], 'Input should be a valid string');
  return text;
}

/** Throws `Invalid` if a request needs a language model and none is configured. */
export function requireModelFor(request: ModelRequest, hasModel: boolean): void {
  const { turns, toolChoice, task, format } = request;
  if (hasModel || task) return;
  if (turns.some(({ pictures }) => pictures)) {
    throw Invalid.field(
      ['messages'],
      'only a language model reads pictures in messages, and the project has none: configure one that takes pictures, or send text',
    );
  }
  if (toolChoice === 'required' || typeof toolChoice === 'object') {
    throw Invalid.field(
      ['tool_choice'],
      'only a language model can call a tool, and the project has none: configure one, or send `auto` or `none`',
    );
  }
  if (format?.schema) validateSchema(format.schema, ['response_format', 'json_schema', 'schema']);
}

/** Returns only the generation settings that the request contains. The model decides about all others. */
export function toGenerationSettings(request: ChatCompletionRequest): GenerationSettings {
  const { stop, top_p, presence_penalty, frequency_penalty, seed } = request;
  const said = {
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens,
    topP: top_p,
    presencePenalty: presence_penalty,
    frequencyPenalty: frequency_penalty,
    stopSequences: stop === null || stop === undefined ? undefined : [stop].flat(),
    seed,
  };
  return Object.fromEntries(
    Object.entries(said).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Returns warnings about members that the protocol knows but that have no effect here. */
export function collectOwnWarnings(
  request: ChatCompletionRequest,
  chat: ChatRequest,
  generation: GenerationSettings,
  hasModel: boolean,
): Warning[] {
  const warnings: Warning[] = [];
  if (request.max_tokens && request.max_completion_tokens) {
    warnings.push({ field: 'max_tokens', reason: 'max_completion_tokens is said as well, and counts.' });
  }
  if (request.stream_options?.include_usage && !request.stream) {
    warnings.push({ field: 'stream_options', reason: 'A whole answer has its usage always.' });
  }
  if (hasModel) return warnings;
  const settings = listSentNames(Object.keys(generation), request);
  if (request.tools?.length) warnings.push({ field: 'tools', reason: NO_TOOLS });
  if (request.response_format?.type === 'json_object' && !findRequestedSchema(request).schema) {
    warnings.push({ field: 'response_format', reason: ONLY_ANSWER });
  }
  return [
    ...warnings,
    ...settings.map((field) => ({ field, reason: NO_MODEL })),
    ...listBuiltinWarnings(chat).map(({ field, reason }) => ({ field: toRequestField(field), reason })),
  ];
}

/** Returns warnings about requested settings that the model does not support. */
export const unsupportedWarnings = (settings: readonly string[], request: ChatCompletionRequest): Warning[] =>
  listSentNames(settings, request).map((field) => ({ field, reason: UNSUPPORTED }));

function listSentNames(settings: readonly string[], request: ChatCompletionRequest): string[] {
  return settings.flatMap((setting) => {
    if (setting === 'temperature') return request.temperature === undefined ? [] : ['temperature'];
    const name = Object.hasOwn(SETTINGS, setting) ? SETTINGS[setting as keyof GenerationSettings] : undefined;
    if (name === 'max_completion_tokens' && !request.max_completion_tokens) return ['max_tokens'];
    return name ? [name] : [];
  });
}

function toRequestField(field: string): string {
  return field === 'data.llm_parameters.temperature'
    ? 'temperature'
    : field.replace(/^data\./, `${OPTIONS}.`);
}
