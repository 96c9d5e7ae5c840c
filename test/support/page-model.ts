import { env } from 'cloudflare:workers';
import { vi } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import type { HeldLease } from '#src/work/held-lease.ts';

/** Question to the model, parsed from the protocol. */
export interface Asked {
  system: string;
  text: string;
  picture: { mimeType: string; width: number; height: number } | undefined;
  model: string;
  /** Texts between the fences, in order. */
  fenced: string[];
}

export type Reply = string | { status: number; headers?: Record<string, string> } | 'hang' | { cut: string };

const ENDPOINT = 'http://93.184.215.14/v1';
const unanswered = () => new Promise<never>(() => {});

/**
 * Fake vision model behind an OpenAI-compatible endpoint. It rejects requests outside of the protocol. Tests
 * decide its answers.
 */
export class PageModel {
  readonly asked: Asked[] = [];
  answer: (asked: Asked, n: number) => Reply = () => 'NOTHING';

  /** Replaces `fetch` until `vi.restoreAllMocks()`. Calls to other endpoints are passed on. */
  listen(): this {
    const others = globalThis.fetch;
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      return request.url.startsWith(ENDPOINT) ? this.#serve(request, init?.signal) : others(request);
    });
    return this;
  }

  async #serve(request: Request, signal?: AbortSignal | null): Promise<Response> {
    const asked = readQuestion(new URL(request.url).pathname, await request.json());
    if (!asked) return Response.json({ error: { message: 'not in the protocol' } }, { status: 400 });
    this.asked.push(asked);
    const reply = this.answer(asked, this.asked.length);
    if (reply === 'hang') {
      const aborted = new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
      );
      return Promise.race([unanswered(), aborted]);
    }
    if (typeof reply === 'object' && 'status' in reply) {
      return Response.json({ error: { message: 'no' } }, reply);
    }
    const [content, finish_reason] = typeof reply === 'string' ? [reply, 'stop'] : [reply.cut, 'length'];
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason }];
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    return Response.json({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: asked.model,
      choices,
      usage,
    });
  }
}

type Part = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };
interface Body {
  model: string;
  max_tokens?: number;
  messages: { role: string; content: string | Part[] }[];
}

/** Returns the question, or `undefined` if the request is not part of the protocol. */
function readQuestion(path: string, body: Body): Asked | undefined {
  const [system, user, ...more] = body.messages ?? [];
  if (path !== '/v1/chat/completions' || more.length > 0 || !((body.max_tokens ?? 0) > 0)) return undefined;
  if (system?.role !== 'system' || typeof system.content !== 'string' || user?.role !== 'user')
    return undefined;
  const parts =
    typeof user.content === 'string' ? [{ type: 'text' as const, text: user.content }] : user.content;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const pictures = parts.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []));
  if (pictures.length > 1) return undefined;
  const fenced = [...text.matchAll(/<(DOCUMENT-\w+)>\n([\s\S]*?)\n<\/\1>/g)].map((match) => match[2]!);
  const picture = pictures[0] === undefined ? undefined : readPicture(pictures[0]);
  return { system: system.content, text, picture, model: body.model, fenced };
}

function readPicture(url: string) {
  const match = /^data:(image\/png);base64,(.+)$/s.exec(url);
  if (!match) throw new Error(`no picture: ${url.slice(0, 40)}`);
  const bytes = Uint8Array.from(atob(match[2]!), (character) => character.charCodeAt(0));
  const header = new DataView(bytes.buffer);
  return { mimeType: match[1]!, width: header.getUint32(16), height: header.getUint32(20) };
}

/** Returns the context of an installation with this model only. */
export function contextWithModel(settings: Record<string, string | undefined> = {}): Context {
  const model = { LLM_BASE_URL: ENDPOINT, LLM_MODEL: 'reader-1', LLM_API_KEY: 'model-key' };
  const deferred: Promise<unknown>[] = [];
  return createContext({ ...env, ...model, ...settings }, { waitUntil: (work) => void deferred.push(work) });
}

/** Returns a lease that is never taken away. */
export const heldByNobody = (): HeldLease => ({
  consumer: crypto.randomUUID(),
  signal: new AbortController().signal,
  checkpoint: async () => {},
  end() {},
});
