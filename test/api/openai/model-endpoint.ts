import { vi } from 'vitest';

/** Request to the language model. */
export interface ModelCall {
  messages: { role: string; content: unknown; tool_calls?: unknown[]; tool_call_id?: string }[];
  tools?: { function: { name: string; parameters: unknown } }[];
  tool_choice?: unknown;
  response_format?: { type: string };
  temperature?: number;
}

export type Reply =
  | { text: string; finish?: string }
  | { tool: string; arguments: string }
  | { status: number };

const ADDRESS = 'http://93.184.215.14/v1';

/** Settings of a service that uses this model. */
export const MODEL_SETTINGS = { LLM_BASE_URL: ADDRESS, LLM_MODEL: 'writer-1' };

/** Language model behind an OpenAI-compatible endpoint, whose streamed answers the test decides. */
export class ModelEndpoint {
  readonly calls: ModelCall[] = [];
  reply: (call: ModelCall) => Reply | Promise<Reply> = () => ({ text: 'In 1893. [1]' });

  /** Replaces `fetch` until `vi.restoreAllMocks()`. Calls to other addresses are passed on. */
  listen(): this {
    const others = globalThis.fetch;
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      return request.url.startsWith(ADDRESS) ? this.#serve(request) : others(request);
    });
    return this;
  }

  async #serve(request: Request): Promise<Response> {
    const call = (await request.json()) as ModelCall & { stream?: boolean };
    // Calls that are not streamed rewrite questions. Without an answer, the service rewrites them itself.
    if (!call.stream) return Response.json({ error: { message: 'only streams' } }, { status: 400 });
    this.calls.push(call);
    const reply = await this.reply(call);
    if ('status' in reply) return Response.json({ error: { message: 'no' } }, reply);
    const events =
      'text' in reply
        ? [
            delta({ role: 'assistant', content: '' }),
            delta({ content: reply.text }),
            delta({}, reply.finish ?? 'stop'),
          ]
        : [
            delta({ role: 'assistant', content: null, tool_calls: [openCall(reply.tool)] }),
            ...splitInHalves(reply.arguments).map((part) =>
              delta({ tool_calls: [{ index: 0, function: { arguments: part } }] }),
            ),
            delta({}, 'tool_calls'),
          ];
    const body = [...events, '[DONE]'].map((event) => `data: ${event}\n\n`).join('');
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }
}

const openCall = (name: string) => ({
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name, arguments: '' },
});

const splitInHalves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

function delta(said: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta: said, finish_reason }];
  return JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'writer-1', choices });
}
