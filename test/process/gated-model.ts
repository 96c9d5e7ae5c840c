import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One streamed answer that was asked for. It says what the test has it say, when the test has it say so. */
export class GatedAnswer {
  readonly #response: ServerResponse;
  /** Resolves once the caller has left before the end of the answer. */
  readonly left: Promise<void>;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.left = new Promise((resolve) => {
      response.on('close', () => response.writableFinished || resolve());
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.#write({ role: 'assistant', content: '' });
  }

  say(content: string): void {
    this.#write({ content });
  }

  end(): void {
    this.#write({}, 'stop');
    this.#response.end('data: [DONE]\n\n');
  }

  /** As a process that dies. */
  cut(): void {
    this.#response.destroy();
  }

  #write(delta: object, finish_reason: string | null = null): void {
    const choices = [{ index: 0, delta, finish_reason }];
    const event = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'gated', choices };
    this.#response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
}

interface Asked {
  temperature?: number;
  messages: { role: string; content: string }[];
}

/** An endpoint of the chat completions protocol whose streamed answers are in the hands of the test. */
export class GatedModel {
  /** What it was asked, in order. */
  readonly asked: Asked[] = [];
  readonly #waiting: GatedAnswer[] = [];
  readonly #takers: ((answer: GatedAnswer) => void)[] = [];
  readonly #server = createServer((request, response) => {
    let body = '';
    request.on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      // Asked for a whole text, as that of a question that follows on another, it fails.
      if (!(JSON.parse(body) as { stream?: boolean }).stream) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end('{"error":{"message":"only streams"}}');
        return;
      }
      this.asked.push(JSON.parse(body) as Asked);
      const answer = new GatedAnswer(response);
      const taker = this.#takers.shift();
      if (taker) taker(answer);
      else this.#waiting.push(answer);
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Cuts what was asked for and nobody took. */
  forget(): void {
    for (const answer of this.#waiting.splice(0)) answer.cut();
    this.#takers.length = 0;
  }

  /** The next answer that is asked for, or was and has not been taken yet. */
  next(): Promise<GatedAnswer> {
    const waiting = this.#waiting.shift();
    return waiting ? Promise.resolve(waiting) : new Promise((resolve) => this.#takers.push(resolve));
  }
}
