import { listBuiltinWarnings } from '#src/chat/builtin-warnings.ts';
import type { ChatRequest, GenerationSettings } from '#src/chat/input.ts';
import { Invalid } from '#src/lib/errors.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import type { ChatCompletionRequest } from './chat.schemas.ts';

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
const UNSUPPORTED = 'The language model that answers has no such setting.';

type Message = ChatCompletionRequest['messages'][number];

/** Converts a request of the OpenAI protocol to a conversation with options for Sluice's chat service. */
export function toChatRequest({ messages, temperature, sluice }: ChatCompletionRequest): ChatRequest {
  const asked = { temperature, ...sluice?.llm_parameters };
  return {
    messages: messages.map((each, index) => ({ role: each.role, content: readText(each, index) })),
    data: { retrieval_parameters: sluice?.retrieval_parameters, llm_parameters: asked },
  };
}

/** Returns the text of a message. A message that only calls a tool has an empty text. */
function readText({ content }: Message, index: number): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part, at) => readPartText(part, ['messages', index, 'content', at])).join('');
}

function readPartText(part: { [name: string]: unknown }, path: (string | number)[]): string {
  const { type } = part;
  if (type !== 'text' && type !== 'refusal') {
    throw Invalid.field(
      [...path, 'type'],
      'a part should be text: pictures, sound and files are not read here',
    );
  }
  const text = part[type];
  if (typeof text !== 'string') throw Invalid.field([...path, type], 'Input should be a valid string');
  return text;
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
