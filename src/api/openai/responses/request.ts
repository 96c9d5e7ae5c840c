import { Invalid } from '#src/lib/errors.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import type { ChatCompletionRequest } from '../chat.schemas.ts';
import { toRetrievalParameters } from '../vector-stores/ranking.ts';
import { listOwnItems } from './items.ts';
import type { ResponseRequest } from './schemas.ts';

type Message = ChatCompletionRequest['messages'][number];
type Item = Exclude<ResponseRequest['input'], string>[number];
type Part = { type: string; text?: string | undefined };

/**
 * Converts a request for a response to the chat completion that answers it. `earlier` has the items of the conversation
 * that the request continues.
 */
export function toCompletionRequest(
  request: ResponseRequest,
  earlier: readonly Item[] = [],
): ChatCompletionRequest {
  const { model, instructions, tool_choice: choice, tools, text } = request;
  const items = [
    ...earlier.flatMap((item) => toMessage(item, 0)),
    ...listOwnItems(request).flatMap((item, index) => toMessage(item, index)),
  ];
  const functions = tools?.flatMap((each) => (each.type === 'function' ? [toTool(each)] : []));
  return {
    model,
    messages: [
      ...(instructions ? [{ role: 'developer' as const, content: instructions }] : []),
      ...joinCalls(items),
    ],
    ...(functions && functions.length > 0 && { tools: functions }),
    ...(choice && { tool_choice: toToolChoice(choice) }),
    ...(text?.format && { response_format: toFormat(text.format) }),
    temperature: request.temperature,
    top_p: request.top_p,
    max_completion_tokens: request.max_output_tokens,
    sluice: addSearchOptions(request),
  };
}

/** Adds what a `file_search` tool says about the search. Sluice's own options take precedence. */
function addSearchOptions({ sluice, tools }: ResponseRequest): ChatCompletionRequest['sluice'] {
  const index = tools?.findIndex(({ type }) => type === 'file_search') ?? -1;
  const search = tools?.[index];
  if (search?.type !== 'file_search') return sluice;
  const options = toRetrievalParameters(search, ['tools', index, 'filters']);
  if (Object.keys(options).length === 0) return sluice;
  return { ...sluice, retrieval_parameters: { ...options, ...sluice?.retrieval_parameters } };
}

const toTool = ({ name, description, parameters, strict }: Extract<Tool, { type: 'function' }>) => ({
  type: 'function' as const,
  function: { name, description, parameters, strict },
});
type Tool = NonNullable<ResponseRequest['tools']>[number];

function toToolChoice(choice: NonNullable<ResponseRequest['tool_choice']>) {
  if (typeof choice === 'string') return choice;
  if (choice.type === 'file_search') return 'auto' as const;
  return { type: choice.type, function: { name: choice.name } };
}

function toFormat(format: NonNullable<NonNullable<ResponseRequest['text']>['format']>) {
  if (format.type !== 'json_schema') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

function toMessage(item: Item, index: number): Message[] {
  const isMessage = item.type === undefined || item.type === 'message';
  if (isMessage && 'role' in item && 'content' in item) {
    const { role, content } = item as Extract<Item, { role: Message['role'] }>;
    return [
      { role: role as Message['role'], content: readContent(content as string | Part[], [index, 'content']) },
    ];
  }
  if (item.type === 'function_call' && 'call_id' in item) {
    const { call_id: id, name, arguments: given } = item as Extract<Item, { type: 'function_call' }>;
    return [{ role: 'assistant', content: null, tool_calls: [{ id, function: { name, arguments: given } }] }];
  }
  if (item.type === 'function_call_output' && 'output' in item) {
    const { call_id, output } = item as Extract<Item, { type: 'function_call_output' }>;
    return [{ role: 'tool', tool_call_id: call_id, content: readTexts(output, [index, 'output']) }];
  }
  return [];
}

const TEXT_PARTS = new Set(['input_text', 'output_text', 'text', 'refusal', 'summary_text']);

/** Returns the text of an item, or its parts if there are pictures among them. */
function readContent(content: string | Part[], at: (string | number)[]): NonNullable<Message['content']> {
  if (typeof content === 'string' || content.every(({ type }) => type !== 'input_image')) {
    return readTexts(content, at);
  }
  return content.map((part, index) => {
    const { file_id: file, image_url: url } = part as { file_id?: unknown; image_url?: unknown };
    if (part.type !== 'input_image') return { type: 'text', text: readTexts([part], [...at, index]) };
    if (!file) return { type: 'image_url', image_url: url };
    throw Invalid.field(
      ['input', ...at, index, 'file_id'],
      'send the picture as `image_url`, or leave it out',
    );
  });
}

function readTexts(content: string | Part[], at: (string | number)[]): string {
  if (typeof content === 'string') return content;
  return content
    .map((part, index) => {
      const text = part.type === 'refusal' ? (part as { refusal?: unknown }).refusal : part.text;
      if (TEXT_PARTS.has(part.type) && typeof text === 'string') return text;
      throw Invalid.field(
        ['input', ...at, index, 'type'],
        'a part should be text or a picture (`input_image`): upload sound and files to the pipeline, where they are read',
      );
    })
    .join('');
}

/** Joins calls of tools that follow each other, because a chat completion has all of them in one message. */
function joinCalls(messages: Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const continues = last?.role === 'assistant' && message.tool_calls;
    if (continues) last.tool_calls = [...(last.tool_calls ?? []), ...message.tool_calls!];
    else joined.push({ ...message });
  }
  return joined;
}

/** Names of fields of a chat completion, as a request for a response has them. */
const FIELDS: Record<string, string> = {
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
};

/** Renames the fields of warnings. Messages have other positions than items, so their warnings name the input. */
export const renameWarnings = (warnings: readonly Warning[]): Warning[] => {
  const renamed = warnings.map(({ field, reason }) => ({
    field: field.startsWith('messages.') ? 'input' : (FIELDS[field] ?? field),
    reason,
  }));
  return renamed.filter(
    ({ field, reason }, index) =>
      renamed.findIndex((each) => each.field === field && each.reason === reason) === index,
  );
};
