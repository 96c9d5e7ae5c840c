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

/** How many values are found, and which ones are said that are not on paper as such. */
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

describe('documents of kinds and languages that no weight was fitted on, asked in English', () => {
  it.each([
    ['payslips', PAYSLIPS, 26],
    ['certificates', CERTIFICATES, 14],
    ['delivery notes', DELIVERY_NOTES, 27],
    ['leases', LEASES, 24],
  ])('finds nearly all of what %s say, and says nothing else', (_, documents, least) => {
    const { right, wrong, uncited } = read(documents);
    expect(wrong).toEqual([]);
    expect(uncited).toEqual([]);
    expect(right).toBeGreaterThanOrEqual(least);
  });

  it('finds most of what it was never tried on', () => {
    const { right, wrong, uncited } = read(OTHERS);
    expect(uncited).toEqual([]);
    expect(wrong.length).toBeLessThanOrEqual(2);
    expect(right).toBeGreaterThanOrEqual(20);
  });
});
