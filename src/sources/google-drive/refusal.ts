import { z } from 'zod';
import type { Upstream } from '#src/lib/errors.ts';
import { SourceError } from '#src/ports/source.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';

const REASON_BYTES = 64 * 1024;
const answer = z.object({ error: z.object({ errors: z.array(z.object({ reason: z.string() })).min(1) }) });

/** Answers of status 403 that mean "later". */
const PASSING = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'backendError']);
/** Quotas are of a minute. Seconds. */
const QUOTA_WAIT = 30;

/** Why one file is not given, for people; in place of the vendor's sentence. */
const OF_ONE_FILE = new Map([
  ['exportSizeLimitExceeded', 'Google Drive gives documents of its editors up to 10 MB, and this is larger'],
  ['cannotDownloadFile', 'its owner lets nobody download it'],
  ['cannotExportFile', 'its owner lets nobody download it'],
  ['cannotDownloadAbusiveFile', 'Google Drive takes it for malware or spam, and gives it to its owner alone'],
]);

/** The error of an answer that is none. `what` was asked for. */
export async function refusalOf(http: UpstreamHttp, response: Response, what: string): Promise<Upstream> {
  const { status } = response;
  const reason = status === 403 ? await reasonIn(http, response.clone()) : undefined;
  const said = OF_ONE_FILE.get(reason ?? '');
  if (said) {
    await response.body?.cancel();
    return new SourceError(`Google Drive does not give ${what}: ${said}.`, { retryable: false, status });
  }
  const isPassing = PASSING.has(reason ?? '');
  const error = await http.failure(response, what, { alsoRetryable: isPassing });
  if (!isPassing) return error;
  const retryAfter = error.retryAfter ?? QUOTA_WAIT;
  return new SourceError(error.message, { retryable: true, retryAfter, status });
}

/** The vendor's word for it, from an answer that may be anything. */
async function reasonIn(http: UpstreamHttp, copy: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of http.body(copy)) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > REASON_BYTES) break;
    }
    return answer.parse(JSON.parse(text)).error.errors[0]!.reason;
  } catch {
    return undefined;
  }
}
