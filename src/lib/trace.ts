import { AsyncLocalStorage } from 'node:async_hooks';

/** Position of a unit of work in a distributed trace, as defined by W3C Trace Context. */
export interface Trace {
  /** Trace id in 32 hex digits. It is the same for all work that one request causes. */
  readonly traceId: string;
  /** Span id in 16 hex digits. It identifies this unit of work and is sent as parent id to other systems. */
  readonly spanId: string;
  /** Trace flags in two hex digits. They say whether the system that began the trace records it. */
  readonly flags: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
/** Length of a `traceparent` header of version 00. Later versions may append fields. */
const LENGTH = 55;
/** Defined bits of the trace flags: sampled, and random trace id. */
const KNOWN_FLAGS = 0b11;
const ALL_ZEROS = /^0+$/;

const current = new AsyncLocalStorage<Trace>();

/**
 * Returns a unit of work that continues the trace in the header, or that begins a new trace if the header is
 * absent or invalid.
 */
export function continueTrace(traceparent: string | null | undefined): Trace {
  const spanId = randomHex(8);
  const parent = traceparent ? parseTraceparent(traceparent) : undefined;
  // A new trace has the flags 00, because no other system has decided to record it.
  return parent ? { ...parent, spanId } : { traceId: randomHex(16), spanId, flags: '00' };
}

function parseTraceparent(traceparent: string): Pick<Trace, 'traceId' | 'flags'> | undefined {
  const [, version, traceId = '', parentId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? [];
  if (!version || version === 'ff' || (version === '00' && traceparent.length !== LENGTH)) return undefined;
  if (ALL_ZEROS.test(traceId) || ALL_ZEROS.test(parentId)) return undefined;
  return { traceId, flags: hex(Number.parseInt(flags, 16) & KNOWN_FLAGS) };
}

/**
 * Formats the `traceparent` header with which another system, or another part of Sluice, continues the trace.
 */
export const formatTraceparent = ({ traceId, spanId, flags }: Trace): string =>
  `00-${traceId}-${spanId}-${flags}`;

/** Runs work in a trace. Everything that the work awaits or schedules gets the trace from `currentTrace`. */
export const runInTrace = <Result>(trace: Trace, work: () => Result): Result => current.run(trace, work);

export const currentTrace = (): Trace | undefined => current.getStore();

const hex = (byte: number) => byte.toString(16).padStart(2, '0');
const randomHex = (bytes: number) => Array.from(crypto.getRandomValues(new Uint8Array(bytes)), hex).join('');
