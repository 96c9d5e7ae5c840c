import { readBytes } from '#src/api/http/read-input.ts';
import { TooLarge } from '#src/lib/errors.ts';
import { OAuthError } from '#src/services/applications/oauth-error.ts';

const FORM_BYTES = 16 * 1024;

/** Parameters of a token or revocation request. */
export type Form = ReadonlyMap<string, string>;

/**
 * Reads the parameters of a form. Throws OAuthError if the body is no form, or contains a parameter twice, which
 * programs read differently.
 */
export async function readForm(request: Request): Promise<Form> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw new OAuthError('invalid_request', 'Content-Type must be application/x-www-form-urlencoded');
  }
  const tooLarge = () => new TooLarge('The form is limited to 16 KiB.');
  const text = new TextDecoder().decode(await readBytes(request, FORM_BYTES, tooLarge));
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name))
      throw new OAuthError('invalid_request', `${name.slice(0, 100)} was sent more than once`);
    // An empty parameter counts as absent (RFC 6749, section 3.2).
    if (value !== '') form.set(name, value);
  }
  return form;
}

export function requireParameter(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is required`);
  return value;
}
