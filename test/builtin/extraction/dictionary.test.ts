import { describe, expect, it } from 'vitest';
import { dictionariesOf } from '#src/builtin/extraction/vocabulary/dictionary.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { textPage } from '#test/extraction/pages.ts';
import { extractNow } from './extract.ts';

const weight = await loadWordWeight();
const schemaOf = (...names: string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const asked = (...names: string[]) => dictionariesOf(schemaOf(...names), '', weight).asked;

describe('the words of a schema', () => {
  it.each(
    'location service lot fine test new data slot tag prime via panda poster numerous terminal corporate validate'.split(
      ' ',
    ),
  )('are its own where it is in English: %s', (word) => {
    expect(asked('invoice_number', 'total_amount', word)(word)).toBeUndefined();
  });

  it('have others in English that mean the same', () => {
    expect(asked('client_name', 'monthly_wage')('client')).toEqual(['customer']);
    expect(asked('client_name', 'monthly_wage')('wage')).toEqual(['salary']);
    expect(asked('total_amount', 'supplier_pays')('pays')).toEqual(['pay']);
    expect(asked('number_of_packages')('packages')).toEqual(['package']);
  });

  it.each([
    ['fr', 'pays', 'country', ['pays', 'montant_facture', 'adresse_fournisseur']],
    ['fr', 'location', 'lease', ['location', 'locataire', 'loyer_mensuel', 'bailleur']],
    ['de', 'rechnungsdatum', 'invoice date', ['rechnungsdatum', 'lieferant', 'gesamtbetrag']],
    ['it', 'data', 'date', ['data', 'fornitore', 'indirizzo_cliente', 'scadenza']],
  ])('are translated where it is in another language: %s %s', (_, word, meant, names) => {
    expect(asked(...names)(word)).toEqual(meant.split(' '));
  });

  it('are not looked up where they are too long for any', () => {
    expect(asked('montant')(`${'x'.repeat(60)}montant`)).toBeUndefined();
  });
});

it('answers with no other thing that has the name in another language', () => {
  const page = textPage(
    'Delivery of the goods that were ordered by you on the phone\n\nLease: Harbour Road 4\nFlight: HX 204\nEnd: 4 May',
  );
  expect(extractNow(schemaOf('location', 'lot', 'fine'), [page], 'per_doc')[0]!.value).toEqual({
    location: null,
    lot: null,
    fine: null,
  });
});
