import { z } from 'zod';
import { secret } from './secret-schema.ts';

/** A token as RFC 9110 has it: whatever else stands in a header's name, no client can send it. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A field value: no line breaks, no other control characters but the tab, nothing beyond one byte. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers of requests to somebody else, all of them secret; a header that cannot be sent is refused by name. */
export function headerMap() {
  return z.record(z.string(), secret()).superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      const message = unsendable(name, value);
      if (message) context.addIssue({ code: 'custom', path: [name], message });
    }
  });
}

/** The value stays out of the message: it may be a credential. */
function unsendable(name: string, value: string): string | undefined {
  if (!NAME.test(name)) {
    return `${JSON.stringify(name)} cannot be sent: a header’s name has letters, digits and !#$%&'*+-.^_\`|~ only`;
  }
  if (VALUE.test(value)) return undefined;
  return `the value of ${JSON.stringify(name)} cannot be sent: it has a line break, or a control or non-Latin character`;
}
