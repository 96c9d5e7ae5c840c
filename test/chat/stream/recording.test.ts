import type { UIMessageChunk } from 'ai';
import { afterEach, expect, it, vi } from 'vitest';
import { Abandoned } from '#src/chat/stream/abandoned.ts';
import { protocols } from '#src/chat/stream/protocol.ts';
import { Recording } from '#src/chat/stream/recording.ts';
import { RateLimited } from '#src/lib/errors.ts';

afterEach(() => void vi.useRealTimers());

const delta = (text: string): UIMessageChunk => ({ type: 'text-delta', id: 't', delta: text });

/** Creates a recording whose source emits the texts passed to `say`. */
function spoken(options: { heartbeatMs?: number; unreadMs?: number } = {}) {
  const said: UIMessageChunk[] = [];
  let wake = Promise.withResolvers<void>();
  let isDone = false;
  let reason: unknown;
  async function* source(signal: AbortSignal) {
    signal.addEventListener('abort', () => {
      reason = signal.reason;
      wake.resolve();
    });
    for (;;) {
      yield* said.splice(0);
      if (isDone || signal.aborted) return;
      await wake.promise;
      wake = Promise.withResolvers();
    }
  }
  const recording = new Recording(source, { heartbeatMs: 10_000, unreadMs: 0, ...options });
  return {
    recording,
    say(...texts: string[]) {
      said.push(...texts.map(delta));
      wake.resolve();
    },
    end() {
      isDone = true;
      wake.resolve();
    },
    reason: () => reason,
  };
}

const readText = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
const event = (text: string) => protocols.ui.encode(delta(text));

it('gives every reader the whole stream, whenever it starts and however slowly it reads', async () => {
  const { recording, say, end } = spoken();
  const early = readText(recording.read(protocols.ui));
  const slow = recording.read(protocols.ui);
  say('one', 'two');
  await untilItSays(recording.read(protocols.ui), event('two'));
  const middle = readText(recording.read(protocols.ui));
  say('three');
  end();
  await recording.ended;
  const all = `${event('one')}${event('two')}${event('three')}data: [DONE]\n\n`;
  expect(await early).toBe(all);
  expect(await middle).toBe(all);
  expect(await readText(slow)).toBe(all);
  expect(await readText(recording.read(protocols.ui))).toBe(all);
});

/** Resolves once the stream has sent the wanted text. */
async function untilItSays(stream: ReadableStream<Uint8Array>, wanted: string): Promise<void> {
  let said = '';
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (said.includes(wanted)) return;
  }
}

it('sends heartbeats while the stream is silent', async () => {
  const { recording, say, end } = spoken({ heartbeatMs: 20 });
  const [reading, signs] = recording.read(protocols.ui).tee();
  const [lines, empty] = recording.read(protocols.data).tee();
  await Promise.all([untilItSays(signs, ':\n\n:\n\n'), untilItSays(empty, '2:[]\n2:[]\n')]);
  say('at last');
  end();
  expect(await readText(reading)).toMatch(/^(:\n\n){2,}data: /);
  expect(await readText(lines)).toMatch(/^(2:\[\]\n){2,}0:"at last"\n$/);
});

it('aborts its source when the last reader leaves, and not earlier', async () => {
  const { recording, say, reason } = spoken();
  const [one, other] = [recording.read(protocols.ui), recording.read(protocols.ui)];
  say('one');
  await one.cancel();
  await untilItSays(recording.read(protocols.ui), event('one'));
  expect(reason()).toBeUndefined();
  await other.cancel();
  await recording.ended;
  expect(reason()).toBeInstanceOf(Abandoned);
});

it('waits the configured time for a reader to return before it aborts', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { recording, say, reason } = spoken({ unreadMs: 600 });
  await recording.read(protocols.ui).cancel();
  await vi.advanceTimersByTimeAsync(599);
  const back = recording.read(protocols.ui);
  await vi.advanceTimersByTimeAsync(600);
  expect(reason()).toBeUndefined();
  say('still here');
  await back.cancel();
  await vi.advanceTimersByTimeAsync(599);
  expect(reason()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await recording.ended;
  expect(reason()).toBeInstanceOf(Abandoned);
});

it('aborts with too_large if the answer exceeds the size limit', async () => {
  const { recording, say, reason } = spoken();
  const reading = readText(recording.read(protocols.ui));
  const megabyte = 'x'.repeat(2 ** 20);
  say(...Array.from({ length: 20 }, () => megabyte));
  await recording.ended;
  expect(reason()).toMatchObject({ code: 'too_large' });
  expect((await reading).length).toBeLessThan(21 * 2 ** 20);
});

it('buffers only a small part of the stream for a reader', async () => {
  const { recording, say, end } = spoken();
  const stream = recording.read(protocols.ui);
  const piece = 'x'.repeat(2 ** 15);
  say(...Array.from({ length: 40 }, () => piece));
  end();
  await recording.ended;
  const reader = stream.getReader();
  const first = (await reader.read()).value!;
  expect(first.byteLength).toBeLessThan(2 ** 17);
  await reader.cancel();
});

it('rejects the 17th reader', () => {
  const { recording, end } = spoken();
  for (let count = 0; count < 16; count += 1) recording.read(protocols.ui);
  expect(() => recording.read(protocols.ui)).toThrow(RateLimited);
  end();
});

it('ends with an error if its source fails, and with an abort if its source does not stop', async () => {
  async function* broken() {
    yield delta('one');
    throw new Error('a secret');
  }
  const recording = new Recording(broken, { heartbeatMs: 10_000, unreadMs: 0 });
  const told = await readText(recording.read(protocols.ui));
  expect(told).toContain('"errorText":"The answer was interrupted."');
  expect(told).not.toContain('a secret');

  async function* deaf(): AsyncGenerator<UIMessageChunk> {
    await new Promise(() => {});
  }
  const stuck = new Recording(deaf, { heartbeatMs: 10_000, unreadMs: 0 });
  const reading = readText(stuck.read(protocols.ui));
  stuck.stop(new Abandoned('it was stopped'));
  expect(await reading).toContain('"reason":"it was stopped"');
});
