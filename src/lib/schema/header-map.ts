import { z } from 'zod';
import { secret } from './secret-schema.ts';

/** Matches a header name as defined by RFC 9110. HTTP clients cannot send other characters. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/**
 * Matches a header value without line breaks, control characters other than tab, or characters beyond one
 * byte.
 */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Returns the schema of headers for requests to another system. All values are secret. A header that cannot
 * be sent is rejected with an error that names it.
 */
export function headerMap() {
  return z.record(z.string(), secret()).superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      const message = explainUnsendable(name, value);
      if (message) context.addIssue({ code: 'custom', path: [name], message });
    }
  });
}

/**
 * Returns why a header cannot be sent, or `undefined` if it can be sent. The message omits the value, because
 * it may be a credential.
 */
function explainUnsendable(name: string, value: string): string | undefined {
  if (!NAME.test(name)) {
    return `${JSON.stringify(name)} cannot be sent: header names may contain only letters, digits and !#$%&'*+-.^_\`|~`;
  }
  if (VALUE.test(value)) return undefined;
  return `the value of ${JSON.stringify(name)} cannot be sent: it contains a line break, a control character or a character outside Latin-1`;
}
