import { Invalid, Upstream } from '#src/lib/errors.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { type UpstreamHttp, upstream } from '#src/upstream/http.ts';

/** Of an answer: ten thousand found points take about two megabytes. */
const MOST_BYTES = 32_000_000;
const USUAL_RETRIES = 3;
/** How often a call may take as long as one silence for each of its attempts: an answer may arrive slowly, and must arrive. */
const SLOWNESS = 2;

interface StoreHttp {
  /** As `sink_type` has it: errors name it. */
  kind: string;
  deps: SinkDeps;
  /** What no error may repeat. */
  secrets: string[];
  /** Further attempts within a call; three where it is absent or null. */
  retries?: number | null;
  /** Of silence; the installation's own where it is absent. */
  silenceSeconds?: number | undefined;
}

/** Calls of a store that speaks HTTP. Whatever fails is a SinkError that names the sink. */
export function storeHttp({ kind, deps, secrets, retries, silenceSeconds }: StoreHttp): UpstreamHttp {
  const silence = silenceSeconds ?? deps.settings.SILENCE_SECONDS;
  const furtherAttempts = retries ?? USUAL_RETRIES;
  return upstream({
    name: `The data sink (${kind})`,
    settings: deps.settings,
    silenceSeconds: silence,
    totalSeconds: SLOWNESS * silence * (furtherAttempts + 1),
    retries: furtherAttempts,
    maxBytes: MOST_BYTES,
    secrets,
    error: (message, options) => new SinkError(message, options),
  });
}

/** A setting that is wrong, as a check reports it. */
export const wrongSetting = (name: string, message: string) => Invalid.field(['component', name], message);

/** Rejects when a setting says another dimension than the vectors have. Either may be unknown. */
export function checkDimension(name: string, given: number | null | undefined, dimension?: number): void {
  if (given == null || dimension === undefined || given === dimension) return;
  throw wrongSetting(name, `The embedding model gives ${dimension} dimensions, not ${given}.`);
}

/** Rejects when a store says that it has written fewer points than it was given. */
export function checkWritten(kind: string, written: number, given: number): void {
  if (written >= given) return;
  const message = `The data sink (${kind}) says that it has written ${written} of ${given} points.`;
  throw new SinkError(message, { retryable: true });
}

/** The settings that a refusal of the store points at. */
interface Blamed {
  credentials: string;
  address: string;
}

/**
 * Runs what a check asks of a store. A refusal becomes an error of the setting that it points at: 401 and 403 of the
 * credentials, any other that no retry can help of the address. The rest (busy, broken) stays a SinkError.
 */
export async function blaming<T>({ credentials, address }: Blamed, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Upstream) || error.status === undefined) throw error;
    if (error.status === 401 || error.status === 403) throw wrongSetting(credentials, error.message);
    const isRefused = error.status >= 300 && error.status < 500 && !error.retryable;
    throw isRefused ? wrongSetting(address, error.message) : error;
  }
}

/** Undefined where the store says that there is no such thing. */
export async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Upstream && error.status === 404) return undefined;
    throw error;
  }
}
