import { PARSER_STUCK, type StopReason } from '#src/parse/stopped-parser.ts';

/** Request for a parser process, sent to the supervisor. */
export interface LeaseRequest {
  /** Id of the project that the parser call works for. Projects take turns. */
  tenant: string;
  /** True if a user waits for the result. Urgent calls precede background work. */
  isUrgent: boolean;
  /** Parser method and storage key of the file, for the log. */
  what: string;
}

/** Right to use one parser process until the lease is disposed of. */
export interface Lease extends AsyncDisposable {
  /** Number of the parser process, starting at 0. */
  readonly slot: number;
  /** Asks the supervisor to stop the process because the call no longer sends heartbeats. */
  reportSilence(): Promise<void>;
  /**
   * Returns the error to throw for a failed call. If the supervisor stopped the process, the error names the
   * reason. Otherwise it is the original error.
   */
  explain(error: unknown): Promise<unknown>;
}

/** First line of the supervisor's response, sent once a parser process is free. */
interface Granted {
  id: string;
  slot: number;
}

/** Maximum time in milliseconds that a failed call waits for the reason why its process was stopped. */
const REASON_WAIT_MS = 2_000;

/**
 * Waits for a free parser process. The response of the supervisor stays open while the lease lasts, so the
 * supervisor notices if this Worker disappears. If the supervisor stops the process, it ends the response
 * with the reason.
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
