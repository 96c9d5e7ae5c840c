import { scrub } from './scrub.ts';

/** Bytes of an answer that are searched for a reason, and characters of it that a message repeats. */
export const REASON_BYTES = 16 * 1024;
const LONGEST_REASON = 300;

/** Where vendors put their reason; what they hold may again be such an object. */
const MEMBERS = [
  'message',
  'errorMessages',
  'error_description',
  'detail',
  'error',
  'errors',
  'title',
  'reason',
  'description',
];

/** Why a call failed, as the answer tells: bounded, without secrets; empty when it tells nothing readable. */
export function reasonIn(text: string, contentType: string | null, secrets: readonly string[]): string {
  // What was cut at the limit may end with the first half of a secret.
  const longest = Math.max(0, ...secrets.map((secret) => secret.length));
  const whole = text.length < REASON_BYTES ? text : text.slice(0, -2 * longest || undefined);
  const said = inJson(whole) ?? inXml(whole) ?? (/html/i.test(contentType ?? '') ? '' : whole);
  const clean = scrub(said, secrets);
  return clean.length > LONGEST_REASON ? `${clean.slice(0, LONGEST_REASON)}…` : clean;
}

function inJson(text: string): string | undefined {
  if (!/^\s*[{["]/.test(text)) return undefined;
  try {
    return reasonOf(JSON.parse(text), 0);
  } catch {
    return undefined;
  }
}

function reasonOf(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > 3) return undefined;
  if (Array.isArray(value)) return reasonOf(value[0], depth + 1);
  for (const member of MEMBERS) {
    const found = reasonOf((value as Record<string, unknown>)[member], depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** As stores of the S3 protocol answer. */
function inXml(text: string): string | undefined {
  return /<Message>([^<]*)<\/Message>/i.exec(text)?.[1];
}
