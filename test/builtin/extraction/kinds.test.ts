import { describe, expect, it } from 'vitest';
import { checkEvidence } from '#src/extraction/check-evidence.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { squash } from '#src/lib/text/words.ts';
import { textPage } from '#test/extraction/pages.ts';
import { extractNow } from './extract.ts';
import { CERTIFICATES } from './kinds/certificates.ts';
import { DELIVERY_NOTES } from './kinds/delivery-notes.ts';
import { LEASES } from './kinds/leases.ts';
import { OTHERS } from './kinds/others.ts';
import { PAYSLIPS } from './kinds/payslips.ts';
import type { Written } from './kinds/written.ts';

/** Returns the number of correct values, the wrong values and the values without citation. */
function read(documents: Written[]): { right: number; wrong: string[]; uncited: string[] } {
  const found = { right: 0, wrong: [] as string[], uncited: [] as string[] };
  for (const { name, page, properties, expected } of documents) {
    const schema: JsonSchema = { type: 'object', properties };
    const pages = [textPage(page)];
    const { value, evidence } = checkEvidence(pages, extractNow(schema, pages, 'per_doc')[0]!);
    for (const [field, said] of Object.entries(value as Record<string, unknown>)) {
      if (said === null) continue;
      if (squash(String(said)) === squash(String(expected[field]))) found.right++;
      else found.wrong.push(`${name}, ${field}: ${said}`);
      if (!evidence.get(`/${field}`)?.citations?.length) found.uncited.push(`${name}, ${field}`);
    }
  }
  return found;
}

describe('documents in several languages that were not used to fit weights', () => {
  it.each([
    ['payslips', PAYSLIPS, 26],
    ['certificates', CERTIFICATES, 14],
    ['delivery notes', DELIVERY_NOTES, 27],
    ['leases', LEASES, 24],
  ])('extracts nearly all values of %s without wrong values', (_, documents, least) => {
    const { right, wrong, uncited } = read(documents);
    expect(wrong).toEqual([]);
    expect(uncited).toEqual([]);
    expect(right).toBeGreaterThanOrEqual(least);
  });

  it('extracts most values of documents that were never tried during development', () => {
    const { right, wrong, uncited } = read(OTHERS);
    expect(uncited).toEqual([]);
    expect(wrong.length).toBeLessThanOrEqual(2);
    expect(right).toBeGreaterThanOrEqual(20);
  });
});
