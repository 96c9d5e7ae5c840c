import { type ChatProtocol, type Ending, joinContentText, USAGE } from './protocol.ts';

interface Body {
  model: string;
  messages: { role: string; content: unknown }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  response_format?: { type: string; json_schema?: { schema: unknown; strict?: boolean } };
}

const FINISH = { whole: 'stop', cut: 'length', refused: 'content_filter' };
const COMMON = { id: 'c', created: 1, model: 'talker' };
const usage = {
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
};

/** Chat completions API of OpenAI and compatible services. */
export const openaiChat: ChatProtocol = {
  streams: (_, body) => (body as Body).stream === true,
  read(body) {
    const { messages, response_format: format } = body as Body;
    const said = (role: string) =>
      joinContentText(messages.find((message) => message.role === role)?.content ?? '');
    const schema = format?.json_schema;
    return {
      system: said('system'),
      prompt: said('user'),
      ...(format && { schema: schema?.schema, strict: schema?.strict === true }),
    };
  },
  write(text, ending) {
    const choice = { index: 0, logprobs: null, ...buildChoice(text, ending) };
    return { ...COMMON, object: 'chat.completion', choices: [choice], usage };
  },
  events(pieces, ending, body) {
    const tells = (body as Body).stream_options?.include_usage === true;
    const chunk = (delta: object, finish_reason: string | null) => ({
      data: {
        ...COMMON,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      },
    });
    return [
      chunk({ role: 'assistant', content: '' }, null),
      ...pieces.map((content) => chunk({ content }, null)),
      chunk({}, FINISH[ending]),
      ...(tells ? [{ data: { ...COMMON, object: 'chat.completion.chunk', choices: [], usage } }] : []),
      { data: '[DONE]' },
    ];
  },
};

/** A refusal with text is in a separate member, and the answer ends normally. */
function buildChoice(content: string, ending: Ending) {
  if (ending === 'refused' && content !== '') {
    return { message: { role: 'assistant', content: null, refusal: content }, finish_reason: 'stop' };
  }
  return { message: { role: 'assistant', content, refusal: null }, finish_reason: FINISH[ending] };
}
