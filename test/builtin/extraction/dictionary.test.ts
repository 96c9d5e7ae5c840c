import { describe, expect, it } from 'vitest';
import { createDictionaries } from '#src/builtin/extraction/vocabulary/dictionary.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { textPage } from '#test/extraction/pages.ts';
import { extractNow } from './extract.ts';

const weight = await loadWordWeight();
const buildSchema = (...names: string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const asked = (...names: string[]) => createDictionaries(buildSchema(...names), '', weight).ofSchema;

describe('dictionary of schema words', () => {
  it.each(
    'location service lot fine test new data slot tag prime via panda poster numerous terminal corporate validate'.split(
      ' ',
    ),
  )('leaves English words of an English schema untranslated: %s', (word) => {
    expect(asked('invoice_number', 'total_amount', word)(word)).toBeUndefined();
  });

  it('returns English synonyms', () => {
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
  ])('translates words of a schema in another language: %s %s', (_, word, meant, names) => {
    expect(asked(...names)(word)).toEqual(meant.split(' '));
  });

  it('ignores words that are too long', () => {
    expect(asked('montant')(`${'x'.repeat(60)}montant`)).toBeUndefined();
  });
});

it('does not extract values for a foreign homonym of an English field name', () => {
  const page = textPage(
    'Delivery of the goods that were ordered by you on the phone\n\nLease: Harbour Road 4\nFlight: HX 204\nEnd: 4 May',
  );
  expect(extractNow(buildSchema('location', 'lot', 'fine'), [page], 'per_doc')[0]!.value).toEqual({
    location: null,
    lot: null,
    fine: null,
  });
});
