import { AsyncLocalStorage } from 'node:async_hooks';

/** Where in somebody's trace a piece of work stands, as W3C Trace Context has it. */
export interface Trace {
  /** 32 hex digits: the same in everything that one request led to. */
  readonly traceId: string;
  /** 16 hex digits: this piece of work, which is the parent of what it sends on. */
  readonly spanId: string;
  /** Two hex digits: whether whoever began the trace records it. */
  readonly flags: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
/** A traceparent of version 00; later versions may add to it. */
const LENGTH = 55;
/** Bits that are defined: sampled, and ids made at random. */
const KNOWN_FLAGS = 0b11;
const NOTHING = /^0+$/;

const current = new AsyncLocalStorage<Trace>();

/** The piece of work that follows from the header, or that begins a trace where it is absent or not sound. */
export function continuedFrom(traceparent: string | null | undefined): Trace {
  const spanId = randomHex(8);
  const parent = traceparent ? read(traceparent) : undefined;
  // What begins here is recorded by nobody, unless its reader wants to.
  return parent ? { ...parent, spanId } : { traceId: randomHex(16), spanId, flags: '00' };
}

function read(traceparent: string): Pick<Trace, 'traceId' | 'flags'> | undefined {
  const [, version, traceId = '', parentId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? [];
  if (!version || version === 'ff' || (version === '00' && traceparent.length !== LENGTH)) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(parentId)) return undefined;
  return { traceId, flags: hex(Number.parseInt(flags, 16) & KNOWN_FLAGS) };
}

/** The header by which another system, or another part of this one, goes on in the trace. */
export const traceparentOf = ({ traceId, spanId, flags }: Trace): string =>
  `00-${traceId}-${spanId}-${flags}`;

/** Everything that the work waits for and leaves to be done later knows the trace by `currentTrace`. */
export const withinTrace = <Result>(trace: Trace, work: () => Result): Result => current.run(trace, work);

export const currentTrace = (): Trace | undefined => current.getStore();

const hex = (byte: number) => byte.toString(16).padStart(2, '0');
const randomHex = (bytes: number) => Array.from(crypto.getRandomValues(new Uint8Array(bytes)), hex).join('');
