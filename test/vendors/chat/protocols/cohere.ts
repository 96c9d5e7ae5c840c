import { type ChatProtocol, joinContentText, USAGE } from './protocol.ts';

interface Body {
  messages: { role: string; content: unknown }[];
  stream?: boolean;
  response_format?: { type: string; json_schema?: unknown };
}

/** Finish reasons. Cohere reports a refusal as an error. */
const FINISH = { whole: 'COMPLETE', cut: 'MAX_TOKENS', refused: 'ERROR_TOXIC' };
const usage = {
  billed_units: { input_tokens: USAGE.input, output_tokens: USAGE.output },
  tokens: { input_tokens: USAGE.input, output_tokens: USAGE.output },
};

/** Chat API v2 of Cohere. */
export const cohereChat: ChatProtocol = {
  streams: (_, body) => (body as Body).stream === true,
  read(body) {
    const { messages, response_format: format } = body as Body;
    const said = (role: string) =>
      joinContentText(messages.find((message) => message.role === role)?.content ?? '');
    return {
      system: said('system'),
      prompt: said('user'),
      ...(format && { strict: format.json_schema !== undefined }),
      ...(format?.json_schema !== undefined && { schema: format.json_schema }),
    };
  },
  write: (text, ending) => ({
    id: 'c',
    finish_reason: FINISH[ending],
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    usage,
  }),
  events(pieces, ending) {
    const events = [
      { type: 'message-start', id: 'm', delta: { message: { role: 'assistant' } } },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
      ...pieces.map((text) => ({
        type: 'content-delta',
        index: 0,
        delta: { message: { content: { text } } },
      })),
      { type: 'content-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: FINISH[ending], usage } },
    ];
    return events.map((data) => ({ event: data.type, data }));
  },
};
