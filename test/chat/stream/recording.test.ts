import type { UIMessageChunk } from 'ai';
import { afterEach, expect, it, vi } from 'vitest';
import { Abandoned } from '#src/chat/stream/abandoned.ts';
import { protocols } from '#src/chat/stream/protocol.ts';
import { Recording } from '#src/chat/stream/recording.ts';
import { RateLimited } from '#src/lib/errors.ts';
import { useFakeClock } from '#test/support/fake-clock.ts';

const letPass = useFakeClock();

afterEach(() => void vi.clearAllTimers());

const MINUTE = 60_000;

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
      if (signal.aborted || (isDone && said.length === 0)) return;
      if (said.length > 0) continue;
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

/** Lets a second pass and returns the piece that a stream sends meanwhile. Returns `undefined` if it sends none. */
async function readPiece(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  let piece: string | undefined;
  void reader.read().then(({ value }) => {
    piece = new TextDecoder().decode(value);
  });
  await letPass(1_000);
  return piece;
}

it('sends a reader each text when it is recorded', async () => {
  const { recording, say } = spoken();
  const reader = recording.read(protocols.ui).getReader();
  say('one');
  expect(await readPiece(reader)).toBe(event('one'));
  say('two');
  expect(await readPiece(reader)).toBe(event('two'));
});

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

it.each([
  ['ui', ':\n\n'],
  ['data', '2:[]\n'],
] as const)('sends heartbeats of the protocol %s while the stream is silent', async (name, heartbeat) => {
  const { recording, say, end } = spoken({ heartbeatMs: 500 });
  const reader = recording.read(protocols[name]).getReader();
  expect(await readPiece(reader)).toBe(heartbeat);
  expect(await readPiece(reader)).toBe(heartbeat);
  say('at last');
  end();
  expect(await readPiece(reader)).toBe(protocols[name].encode(delta('at last')));
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
  const { recording, say, reason } = spoken({ unreadMs: 600 });
  await recording.read(protocols.ui).cancel();
  await letPass(599);
  const back = recording.read(protocols.ui);
  await letPass(600);
  expect(reason()).toBeUndefined();
  say('still here');
  await back.cancel();
  await letPass(599);
  expect(reason()).toBeUndefined();
  await letPass(1);
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
  expect(first.byteLength).toBeGreaterThan(2 ** 15);
  expect(first.byteLength).toBeLessThan(2 ** 17);
  await reader.cancel();
});

it('rejects the 17th reader', async () => {
  const { recording, end } = spoken();
  for (let count = 0; count < 16; count += 1) recording.read(protocols.ui);
  expect(() => recording.read(protocols.ui)).toThrow(RateLimited);
  end();
  await recording.ended;
});

it('ends with an error that hides the details if its source fails', async () => {
  async function* broken() {
    yield delta('one');
    throw new Error('a secret');
  }
  const recording = new Recording(broken, { heartbeatMs: 10_000, unreadMs: 0 });
  const told = await readText(recording.read(protocols.ui));
  expect(told).toContain('"errorText":"The answer was interrupted."');
  expect(told).not.toContain('a secret');
});

it('gives a stopped source five seconds to end, and then ends with an abort', async () => {
  async function* deaf(): AsyncGenerator<UIMessageChunk> {
    await new Promise(() => {});
  }
  const recording = new Recording(deaf, { heartbeatMs: 10_000, unreadMs: 0 });
  const reading = readText(recording.read(protocols.ui));
  recording.stop(new Abandoned('it was stopped'));
  await letPass(4_999);
  expect(recording.isOver).toBe(false);
  await letPass(1);
  expect(recording.isOver).toBe(true);
  expect(await reading).toContain('"reason":"it was stopped"');
});

it('keeps a finished answer five minutes for slow readers, and then drops them', async () => {
  const { recording, say, end } = spoken();
  const slow = recording.read(protocols.ui);
  const tooSlow = recording.read(protocols.ui);
  say('one');
  end();
  await recording.ended;
  await letPass(5 * MINUTE - 1);
  expect(await readText(slow)).toContain(event('one'));
  await letPass(1);
  await expect(readText(tooSlow)).rejects.toThrow('The answer was not read in time.');
});

it('has no timer after it ends without a reader', async () => {
  const { recording, end } = spoken();
  end();
  await recording.ended;
  expect(vi.getTimerCount()).toBe(0);
});

it('has no timer after it ends while its reader is away', async () => {
  const { recording, end } = spoken({ unreadMs: 600 });
  await recording.read(protocols.ui).cancel();
  end();
  await recording.ended;
  expect(vi.getTimerCount()).toBe(0);
});

it('has no timer after its last reader has read the end', async () => {
  const { recording, end } = spoken();
  const reading = readText(recording.read(protocols.ui));
  end();
  await reading;
  expect(vi.getTimerCount()).toBe(0);
});
