/** Answers that time may cure: too early, too much, or a fault of the other side. The one table of them. */
const PASSING = new Set([408, 425, 429]);
/** Faults of the other side that stay: it lacks the method (501) or the protocol version (505), or wants a login (511). */
const LASTING = new Set([501, 505, 511]);

/** Whether the same request may succeed later, as its status tells. */
export function isRetryableStatus(status: number): boolean {
  return PASSING.has(status) || (status >= 500 && !LASTING.has(status));
}

/** What sockets and resolvers say when a connection fails that may hold the next time. */
const FAULT_CODES = new Set([
  ...['ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH', 'EPIPE'],
  ...['ETIMEDOUT', 'EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'ECONNCLOSED'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
]);
const FAULT_WORDS =
  /network connection lost|connection (was )?(reset|closed|terminated|refused|lost)|socket (hang up|closed)|stream was cancelled|disconnected|fetch failed|timed? ?out/i;

/**
 * Whether something thrown by a socket or a client library tells of the network, not of what was asked. Node has
 * codes, also on the cause; this runtime marks its faults `retryable`, or has only words for them.
 */
export function isNetworkFault(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const { code, retryable } = at as { code?: unknown; retryable?: unknown };
    if (retryable === true || (typeof code === 'string' && FAULT_CODES.has(code))) return true;
    if (FAULT_WORDS.test(at.message)) return true;
  }
  return false;
}
