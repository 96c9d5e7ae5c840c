import { describe, expect, it } from 'vitest';
import { findLabelRole, findPartyRole } from '#src/builtin/extraction/parties/party-roles.ts';
import type { Page } from '#src/documents/document.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { extractNow } from '#test/builtin/extraction/extract.ts';
import { printedPage, textPage } from '#test/extraction/pages.ts';

const text = (description?: string): JsonSchema => ({ type: 'string', ...(description && { description }) });

function extract(properties: Record<string, JsonSchema>, page: Page) {
  return extractNow({ type: 'object', properties }, [page], 'per_doc')[0]!.value;
}

describe('issuer of a document', () => {
  it('is read from the first lines of a scanned receipt', () => {
    const page = textPage(
      'Harbour  Books  &  Maps\n77  Mill  Road\nHalifax,  NS  B3H 4R2\n902-555-0134\n' +
        'Clerk:  Ida            06/14/2031\nAtlas  of  Tides            24.00\nTax            3.60\n' +
        'Total            27.60\nThank  you  for  visiting  Harbour  Books  &  Maps',
    );
    expect(
      extract(
        {
          shop: text('Name of the shop'),
          address: text('Address of the shop'),
          phone: text('Its telephone'),
        },
        page,
      ),
    ).toEqual({
      shop: 'Harbour Books & Maps',
      address: '77 Mill Road, Halifax, NS B3H 4R2',
      phone: '902-555-0134',
    });
  });

  it('is the bank on a bank statement, and the address window holds the customer', () => {
    const page = printedPage([
      [60, 30, 'Banco del Puerto S.A.'],
      [60, 44, 'Calle Mayor 14'],
      [60, 58, '28013 Madrid'],
      [60, 120, 'Ada Lind'],
      [60, 134, 'Calle Luna 3'],
      [60, 148, '29001 Málaga'],
      [60, 220, 'Extracto de cuenta'],
      [60, 700, 'Banco del Puerto S.A. - www.bancodelpuerto.test'],
    ]);
    expect(
      extract({ bank: text(), customer_name: text(), customer_address: text(), customer_city: text() }, page),
    ).toEqual({
      bank: 'Banco del Puerto S.A.',
      customer_name: 'Ada Lind',
      customer_address: 'Calle Luna 3, 29001 Málaga',
      customer_city: 'Málaga',
    });
  });

  it('is null rather than a document heading or a label', () => {
    const page = textPage('Delivery note\nNumber: 77\nDate: 3 May 2031');
    expect(extract({ supplier: text('Who delivers') }, page)).toEqual({ supplier: null });
  });

  it('is read from its label on a pay slip, and so is the recipient', () => {
    const page = textPage('Pay slip May 2031\nEmployer: Kiln & Sons\nEmployee: Ida Moss\nNet pay: 2,100.00');
    expect(extract({ employer: text(), employee_name: text() }, page)).toEqual({
      employer: 'Kiln & Sons',
      employee_name: 'Ida Moss',
    });
  });

  it('excludes numbers that are printed beside a party label', () => {
    const page = textPage('Cedar Clinic\nMERCHANT      20738427\nTERMINAL ID   B207\nTotal   9.00');
    expect(extract({ merchant: text() }, page)).toEqual({ merchant: 'Cedar Clinic' });
  });
});

describe('party roles', () => {
  it('come from the longest noun in a field name in any language', () => {
    expect(findPartyRole('verkaeufer')).toBe('issuer');
    expect(findPartyRole('käufer')).toBe('recipient');
    expect(findPartyRole('name', 'Name of the landlord')).toBe('issuer');
    expect(findPartyRole('colour')).toBeUndefined();
  });

  it('are assigned to labels only if the label says little else', () => {
    expect(findLabelRole(['bill', 'to'])).toEqual({ role: 'recipient', score: 1 });
    expect(findLabelRole(['adresse', 'de', 'facturation'])).toEqual({ role: 'recipient', score: 1 });
    expect(findLabelRole(['leistungsempfanger'])).toEqual({ role: 'recipient', score: 1 });
    expect(findLabelRole(['kundenbeleg'])).toBeUndefined();
    expect(findLabelRole(['customer', 'number'])!.score).toBeLessThan(0.7);
  });
});
