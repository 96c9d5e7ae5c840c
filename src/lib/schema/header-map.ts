import { z } from 'zod';
import { secret } from './secret-schema.ts';

/** Header name according to RFC 9110. Clients cannot send other characters. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Header value without line breaks, other control characters than tab, or characters beyond one byte. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Headers of requests to another system. All values are secret, and a header that cannot be sent is rejected
 * by name.
 */
export function headerMap() {
  return z.record(z.string(), secret()).superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      const message = unsendable(name, value);
      if (message) context.addIssue({ code: 'custom', path: [name], message });
    }
  });
}

/** The value is left out of the message, because it may be a credential. */
function unsendable(name: string, value: string): string | undefined {
  if (!NAME.test(name)) {
    return `${JSON.stringify(name)} cannot be sent: a header’s name has letters, digits and !#$%&'*+-.^_\`|~ only`;
  }
  if (VALUE.test(value)) return undefined;
  return `the value of ${JSON.stringify(name)} cannot be sent: it has a line break, or a control or non-Latin character`;
}
