import { PARSER_STUCK, type StopReason } from '#src/parse/stopped-parser.ts';

/** What a call tells the supervisor when it asks for a parser process. */
export interface LeaseRequest {
  /** Project that the call works for; projects take turns. */
  tenant: string;
  /** Whether somebody waits for the answer; urgent calls go before background work. */
  isUrgent: boolean;
  /** Method and storage key, for the log. */
  what: string;
}

/** The right to use one parser process until it is disposed of. */
export interface Lease extends AsyncDisposable {
  /** Number of the process, from 0. */
  readonly slot: number;
  /** Has the supervisor stop the process because the call sends no heartbeat any more. */
  reportSilence(): Promise<void>;
  /** Returns the error to throw for a failed call: why the supervisor stopped the process, or the error itself. */
  explain(error: unknown): Promise<unknown>;
}

/** First line of the supervisor's answer. */
interface Granted {
  id: string;
  slot: number;
}

/** How long a failed call waits to hear why its process was stopped, in milliseconds. */
const REASON_WAIT_MS = 2_000;

/**
 * Waits for a free parser process. The supervisor keeps its answer open for as long as the lease lasts, so it notices
 * when this Worker disappears, and it ends the answer with the reason if it stops the process.
 */
export async function takeLease(
  supervisor: Fetcher,
  request: LeaseRequest,
  signal?: AbortSignal,
): Promise<Lease> {
  const answer = await supervisor.fetch('http://supervisor/leases', {
    method: 'POST',
    body: JSON.stringify(request),
    ...(signal && { signal }),
  });
  if (!answer.ok || !answer.body) {
    throw new Error(`no parser process is available: ${await answer.text()}`);
  }
  const lines = readLines(answer.body);
  const { id, slot } = (await lines.next()).value as Granted;
  const post = (action: string) =>
    supervisor.fetch(`http://supervisor/leases/${id}/${action}`, { method: 'POST' });
  return {
    slot,
    reportSilence: async () => void (await post('silent')),
    async explain(error) {
      const last = await Promise.race([lines.next(), scheduler.wait(REASON_WAIT_MS)]);
      const { stopped, message } = (last?.value ?? {}) as { stopped?: StopReason; message?: string };
      if (!stopped) return error;
      return new Error(
        stopped === 'silent' || stopped === 'deadline' ? `${PARSER_STUCK}: ${message}` : message,
      );
    },
    async [Symbol.asyncDispose]() {
      await post('done');
      await lines.return(undefined);
    },
  };
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown, undefined, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop()!;
    for (const line of lines) yield JSON.parse(line);
  }
}
