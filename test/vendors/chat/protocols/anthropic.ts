import { type ChatProtocol, type Ending, joinContentText, USAGE } from './protocol.ts';

interface Body {
  system?: unknown;
  messages: { role: string; content: unknown }[];
  stream?: boolean;
  tools?: { name: string; input_schema: unknown }[];
  output_config?: { format?: { schema: unknown } };
}

const FINISH = { whole: 'end_turn', cut: 'max_tokens', refused: 'refusal' };

const usage = {
  cache_creation: null,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  inference_geo: null,
  input_tokens: USAGE.input,
  output_tokens: USAGE.output,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: 'standard',
};

const details = (ending: Ending) =>
  ending === 'refused' ? { type: 'refusal', category: null, explanation: null } : null;

const message = (content: unknown[], stop_reason: string | null, ending: Ending) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', container: null, content },
  ...{ stop_reason, stop_sequence: null, stop_details: details(ending), usage },
});

/**
 * Messages API of Anthropic. A schema is sent as the output format, or as the input schema of a required
 * tool.
 */
export const anthropicMessages: ChatProtocol = {
  streams: (_, body) => (body as Body).stream === true,
  read(body) {
    const { system, messages, tools, output_config: output } = body as Body;
    const schema = output?.format?.schema ?? tools?.find(({ name }) => name === 'json')?.input_schema;
    return {
      system: joinContentText(system),
      prompt: joinContentText(messages[0]?.content),
      ...(schema !== undefined && { schema, strict: output?.format !== undefined }),
    };
  },
  write(text, ending, { schema, strict }) {
    const input = schema !== undefined && strict === false ? parseJsonObject(text) : undefined;
    const block = input
      ? { type: 'tool_use', id: 't', name: 'json', caller: { type: 'direct' }, input }
      : { type: 'text', text, citations: null };
    return message([block], input && ending === 'whole' ? 'tool_use' : FINISH[ending], ending);
  },
  events(pieces, ending) {
    const { input_tokens, output_tokens, output_tokens_details, server_tool_use } = usage;
    const events = [
      { type: 'message_start', message: message([], null, 'whole') },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: null } },
      ...pieces.map((text) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text },
      })),
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: {
          ...{ container: null, stop_reason: FINISH[ending], stop_sequence: null },
          stop_details: details(ending),
        },
        usage: {
          ...{ cache_creation_input_tokens: null, cache_read_input_tokens: null, input_tokens },
          ...{ output_tokens, output_tokens_details, server_tool_use },
        },
      },
      { type: 'message_stop' },
    ];
    return events.map((data) => ({ event: data.type, data }));
  },
};

/** Parses tool input, which is always an object. */
export function parseJsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
