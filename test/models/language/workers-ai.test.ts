import { describe, expect, it } from 'vitest';
import { workersAi } from '#src/models/language/workers-ai.ts';
import { FakeChat, languageModelSuite } from '#test/suites/language-model.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { USAGE } from '#test/vendors/chat/protocols/protocol.ts';

const MODEL = '@cf/meta/llama-4-scout-17b-16e-instruct';
const SECRET = 'nothing-secret-is-sent';
const usage = {
  prompt_tokens: USAGE.input,
  completion_tokens: USAGE.output,
  total_tokens: USAGE.input + USAGE.output,
};
const model = new FakeChat();

/** Error codes of Workers AI by HTTP status. */
const CODES: Record<number, number> = { 400: 5004, 403: 5018, 404: 3042, 429: 3040, 503: 3043 };

interface Input {
  messages: { role: string; content: string }[];
  response_format?: { type: string; json_schema?: unknown };
  stream?: boolean;
}

const FINISH = { whole: 'stop', cut: 'length', refused: 'content_filter' };
const KNOWN = new Set(['messages', 'temperature', 'max_tokens', 'response_format', 'stream']);

/** Fake binding with the published interface. */
const AI = {
  async run(name: string, given: Record<string, unknown>): Promise<unknown> {
    if (name !== MODEL) throw new Error('5007: No such model or task');
    const unknown = Object.keys(given).find((key) => given[key] !== undefined && !KNOWN.has(key));
    if (unknown) throw new Error(`5006: not in the interface: ${unknown}`);
    const { messages, response_format: format, stream } = given as unknown as Input;
    const said = (role: string) => messages.find((message) => message.role === role)?.content ?? '';
    const schema = format?.json_schema;
    const asked = {
      ...{ system: said('system'), prompt: said('user') },
      ...(format && { strict: schema !== undefined }),
      ...(schema !== undefined && { schema }),
    };
    const answer = await model.answer(asked, async () =>
      stream ? streamed(model.pieces ?? [model.text]) : Response.json({ ...buildWholeAnswer(model), usage }),
    );
    return stream && answer.body ? answer.body : await answer.json().catch(() => null);
  },
};

/** Returns an answer in the OpenAI format of newer models, which includes the finish reason. */
function buildWholeAnswer({ text, ending }: FakeChat): object {
  if (ending === 'whole') return { response: text };
  return { choices: [{ message: { role: 'assistant', content: text }, finish_reason: FINISH[ending] }] };
}

function streamed(pieces: string[]): Response {
  const events = [...pieces.map((response) => ({ response })), { response: '', usage }];
  const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return new Response(`${lines.join('')}data: [DONE]\n\n`);
}

languageModelSuite({
  name: 'Workers AI',
  model,
  secret: SECRET,
  refuses: false,
  tellsWaits: false,
  open: (seconds = 5) =>
    workersAi.openWithin(
      { model: MODEL },
      { silenceSeconds: seconds, totalSeconds: 3 * seconds, retries: 2 },
      modelDeps({ AI }),
    ),
  serve: () => Promise.reject(new Error('it calls nobody')),
  buildTrouble: (status) => {
    const code = CODES[status];
    return code === undefined ? undefined : () => Promise.reject(new Error(`${code}: not now`));
  },
});

describe('Workers AI model', () => {
  it('throws if the binding is missing', () => {
    expect(() => workersAi.open({ model: MODEL }, modelDeps())).toThrow('binding is missing');
  });
});
