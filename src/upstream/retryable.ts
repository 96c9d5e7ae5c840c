const RETRYABLE_4XX = new Set([408, 425, 429]);
/**
 * HTTP statuses of 500 and above after which a retry cannot succeed: unsupported method (501), unsupported
 * HTTP version (505), and required network login (511).
 */
const PERMANENT_5XX = new Set([501, 505, 511]);

export function isRetryableStatus(status: number): boolean {
  return RETRYABLE_4XX.has(status) || (status >= 500 && !PERMANENT_5XX.has(status));
}

/** Error codes of sockets and DNS resolvers after which a retry may succeed. */
const FAULT_CODES = new Set([
  ...['ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH', 'EPIPE'],
  ...['ETIMEDOUT', 'EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'ECONNCLOSED'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET'],
]);
const FAULT_WORDS =
  /network connection lost|connection (was )?(reset|closed|terminated|refused|lost)|socket (hang up|closed)|stream was cancelled|disconnected|fetch failed|timed? ?out/i;

/**
 * Returns whether an error of a socket or client library is a network failure. Node.js sets an error code on
 * the error or its cause. The Workers runtime sets `retryable` or only gives a message.
 */
export function isNetworkFault(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const { code, retryable } = at as { code?: unknown; retryable?: unknown };
    if (retryable === true || (typeof code === 'string' && FAULT_CODES.has(code))) return true;
    if (FAULT_WORDS.test(at.message)) return true;
  }
  return false;
}
