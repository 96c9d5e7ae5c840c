import { readJson } from '#src/api/http/read-input.ts';
import { DomainError, TooLarge, UnsupportedMediaType } from '#src/lib/errors.ts';

/** Far above any call: files do not travel this way. */
const LIMIT_BYTES = 1024 * 1024;
const LONGEST_ID = 200;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
/** What the protocol leaves to servers. */
const REFUSED = -32000;

/** An error of JSON-RPC to a request whose id is not known. */
export const refusal = (status: number, code: number, message: string) =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });

/** The one message of a request, or the answer that it cannot be taken. */
export async function readMessage(request: Request): Promise<unknown> {
  let message: unknown;
  try {
    message = await readJson(request, LIMIT_BYTES);
  } catch (error) {
    if (error instanceof UnsupportedMediaType) return refusal(415, REFUSED, error.message);
    if (error instanceof TooLarge) return refusal(413, REFUSED, error.message);
    if (error instanceof DomainError) return refusal(400, PARSE_ERROR, `Parse error: ${error.message}`);
    throw error;
  }
  if (message === undefined) return refusal(400, PARSE_ERROR, 'Parse error: there is no body');
  if (Array.isArray(message)) {
    return refusal(400, INVALID_REQUEST, 'Batches are not taken: send one message a request');
  }
  const { id } = (message ?? {}) as { id?: unknown };
  if (typeof id === 'string' && id.length > LONGEST_ID) {
    return refusal(400, INVALID_REQUEST, `An id may have at most ${LONGEST_ID} characters`);
  }
  return message;
}
