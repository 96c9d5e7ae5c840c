import { parseJsonObject } from './anthropic.ts';
import { eventMessage } from './event-stream.ts';
import { type ChatProtocol, joinContentText, USAGE } from './protocol.ts';

interface Body {
  system?: unknown;
  messages: { role: string; content: unknown }[];
  toolConfig?: { tools: { toolSpec: { name: string; inputSchema: { json: unknown } } }[] };
}

const FINISH = { whole: 'end_turn', cut: 'max_tokens', refused: 'guardrail_intervened' };
const usage = {
  inputTokens: USAGE.input,
  outputTokens: USAGE.output,
  totalTokens: USAGE.input + USAGE.output,
};
const metrics = { latencyMs: 1 };

/** Converse API of Amazon Bedrock. A schema is sent as the input schema of a required tool. */
export const bedrockConverse: ChatProtocol = {
  streams: (url) => url.pathname.endsWith('/converse-stream'),
  read(body) {
    const { system, messages, toolConfig } = body as Body;
    const tool = toolConfig?.tools.find(({ toolSpec }) => toolSpec.name === 'json')?.toolSpec;
    return {
      system: joinContentText(system),
      prompt: joinContentText(messages[0]?.content),
      ...(tool && { schema: tool.inputSchema.json, strict: false }),
    };
  },
  write(text, ending, { schema }) {
    const input = schema === undefined ? undefined : parseJsonObject(text);
    const block = input ? { toolUse: { toolUseId: 't', name: 'json', input } } : { text };
    const stopReason = input && ending === 'whole' ? 'tool_use' : FINISH[ending];
    return { output: { message: { role: 'assistant', content: [block] } }, stopReason, usage, metrics };
  },
  events(pieces, ending) {
    const events: [string, object][] = [
      ['messageStart', { role: 'assistant' }],
      ...pieces.map((text): [string, object] => [
        'contentBlockDelta',
        { contentBlockIndex: 0, delta: { text } },
      ]),
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['messageStop', { stopReason: FINISH[ending] }],
      ['metadata', { usage, metrics }],
    ];
    const messages = events.map(([type, payload]) => eventMessage(type, payload));
    return Uint8Array.from(messages.flatMap((message) => [...message]));
  },
};
