import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Question about one page. */
export interface PageQuestion {
  system: string;
  text: string;
  /** Texts between the fences, in order. The first is the text of the page. */
  fenced: string[];
}

/** Reply of the endpoint: a text, a truncated text, no answer or raw bytes. */
export type PageReply = string | 'hang' | { cut: string } | { status?: number; body: string };

/** Picture size of a page of 612 x 792 points at 150 dpi. */
const PICTURE = { width: 1275, height: 1650 };
const PNG = 'data:image/png;base64,';
const MOST_PICTURE_BYTES = 2_000_000;
const ALLOWED = new Set(['model', 'messages', 'temperature', 'max_tokens']);

type Part = { type: string; text?: string; image_url?: { url: string } };
interface Body {
  [field: string]: unknown;
  model?: string;
  temperature?: number;
  max_tokens?: number;
  messages?: { role: string; content: string | Part[] }[];
}

/**
 * Fake vision model of the chat completions protocol. Invalid questions are answered with 400 and recorded in
 * `faults`.
 */
export class PageEndpoint {
  readonly asked: PageQuestion[] = [];
  readonly faults: string[] = [];
  answer: (question: PageQuestion) => PageReply = () => 'NOTHING';
  url = '';
  readonly #server: Server;

  constructor(model: string, key: string) {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { method, url, headers } = request;
      const faults = [
        ...(method === 'POST' && url === '/v1/chat/completions' ? [] : [`${method} ${url}`]),
        ...(headers.authorization === `Bearer ${key}` ? [] : [`authorization: ${headers.authorization}`]),
        ...(headers['content-type'] === 'application/json' ? [] : [`type: ${headers['content-type']}`]),
      ];
      const question = faults.length === 0 && readQuestion(Buffer.concat(parts).toString(), model, faults);
      if (!question || faults.length > 0) {
        this.faults.push(...faults);
        send(response, 400, JSON.stringify({ error: { message: faults.join('; ') } }));
        return;
      }
      this.asked.push(question);
      reply(response, model, this.answer(question));
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function readQuestion(json: string, model: string, faults: string[]): PageQuestion {
  const body = JSON.parse(json) as Body;
  const expect = (isSo: boolean, fault: string) => isSo || faults.push(fault);
  for (const field of Object.keys(body)) expect(ALLOWED.has(field), `unknown field ${field}`);
  expect(body.model === model, `model ${body.model}`);
  expect(body.temperature === 0, `temperature ${body.temperature}`);
  expect(body.max_tokens === 16_384, `max_tokens ${body.max_tokens}`);
  const [system, user, ...more] = body.messages ?? [];
  expect(more.length === 0 && system?.role === 'system' && user?.role === 'user', 'messages');
  const told = typeof system?.content === 'string' ? system.content : '';
  const parts = Array.isArray(user?.content) ? user.content : [];
  expect(parts.map(({ type }) => type).join() === 'text,image_url', `parts ${parts.map(({ type }) => type)}`);
  checkPicture(parts[1]?.image_url?.url ?? '', expect);
  const text = parts[0]?.text ?? '';
  expect(text.startsWith('Transcribe the page in the picture.'), `task ${text.slice(0, 60)}`);
  const fences = [...text.matchAll(/<(DOCUMENT-[0-9a-f]{32})>\n([\s\S]*?)\n<\/\1>/g)];
  const [fence] = fences[0]?.slice(1) ?? [];
  expect(fence !== undefined && fences.every(([, name]) => name === fence), 'fences');
  expect(told.includes(`between <${fence}> and </${fence}>`), 'the system prompt names another fence');
  // Document text is only between the fences.
  const fenced = fences.map(([, , inner]) => inner!);
  const firstLine = fenced[0]?.split('\n').find((line) => line.length > 12) ?? '-';
  expect(!told.includes(firstLine), 'the system prompt has the page');
  return { system: told, text, fenced };
}

function checkPicture(url: string, expect: (isSo: boolean, fault: string) => unknown) {
  expect(url.startsWith(PNG), `picture ${url.slice(0, 30)}`);
  const bytes = Buffer.from(url.slice(PNG.length), 'base64');
  expect(bytes.subarray(1, 4).toString() === 'PNG' && bytes.subarray(-8, -4).toString() === 'IEND', 'no PNG');
  expect(bytes.length < MOST_PICTURE_BYTES, `picture of ${bytes.length} bytes`);
  const [width, height] = bytes.length > 24 ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] : [0, 0];
  expect(width === PICTURE.width && height === PICTURE.height, `picture of ${width} x ${height}`);
}

function reply(response: ServerResponse, model: string, said: PageReply) {
  if (said === 'hang') return;
  if (typeof said === 'object' && 'body' in said) {
    send(response, said.status ?? 200, said.body);
    return;
  }
  const [content, finish_reason] = typeof said === 'string' ? [said, 'stop'] : [said.cut, 'length'];
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const completion = { id: 'c', object: 'chat.completion', created: 1, model, choices, usage };
  send(response, 200, JSON.stringify(completion));
}

const send = (response: ServerResponse, status: number, body: string) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
