import { describe, expect, it } from 'vitest';
import { describeField } from '#src/builtin/extraction/fields.ts';
import { Prose } from '#src/builtin/extraction/prose/index.ts';
import { findNameListCandidates } from '#src/builtin/extraction/prose/name-lists.ts';
import { listSentences } from '#src/builtin/extraction/prose/passages.ts';
import { asksForTitle } from '#src/builtin/extraction/titles.ts';
import { createDictionaries } from '#src/builtin/extraction/vocabulary/dictionary.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { textPage } from '#test/extraction/pages.ts';
import { extractNow } from './extract.ts';

const text = (description?: string): JsonSchema => ({ type: 'string', ...(description && { description }) });
const date = (description: string): JsonSchema => ({ type: 'string', format: 'date', description });
const names = (description: string): JsonSchema => ({
  type: 'array',
  description,
  items: { type: 'string' },
});

function read(properties: Record<string, JsonSchema>, page: string) {
  return extractNow({ type: 'object', properties }, [textPage(page)], 'per_doc')[0]!;
}
const extract = (properties: Record<string, JsonSchema>, page: string) => read(properties, page).value;

const LEASE = `Lease of Premises

This Lease of Premises is made this 4th day of May, 2031 by and between Harbour Lofts Ltd. (the “Landlord”) and Quill & Sons GmbH (the “Tenant”).

1. Term. The lease begins on June 1, 2031 (the “Commencement Date”) and ends on May 31, 2034. The initial term of this lease is three (3) years.

2. Notice. The tenant may end the lease by giving the landlord ninety (90) days written notice.

3. Governing Law. This lease is governed by the laws of the State of Oregon.`;

describe('a lease', () => {
  it('has its dates, its start and its end extracted from words', () => {
    expect(
      extract(
        {
          lease_date: date('Date of the lease'),
          commencement_date: date('Day on which the lease begins'),
          end_date: date('Day on which the lease ends'),
        },
        LEASE,
      ),
    ).toEqual({ lease_date: '2031-05-04', commencement_date: '2031-06-01', end_date: '2034-05-31' });
  });

  it('has its title, governing law, term and parties extracted', () => {
    expect(
      extract(
        {
          title: text('Title of the document'),
          governing_law: text('State or country whose law governs the lease'),
          initial_term: text("How long the lease initially runs, e.g. '5 years'"),
          notice: text("Notice the tenant must give, e.g. '30 days'"),
          parties: names('The parties to the lease'),
        },
        LEASE,
      ),
    ).toEqual({
      title: 'Lease of Premises',
      governing_law: 'Oregon',
      initial_term: '3 years',
      notice: '90 days',
      parties: ['Harbour Lofts Ltd.', 'Quill & Sons GmbH'],
    });
  });

  it('has citations that quote the sentence', () => {
    const { evidence } = read({ lease_date: date('Date of the lease') }, LEASE);
    expect(evidence.get('/lease_date')?.citations).toEqual([
      { page: 1, matching_text: '4th day of May, 2031' },
    ]);
    expect(evidence.get('/lease_date')?.confidence).toBeGreaterThan(0.5);
    expect(evidence.get('/lease_date')?.reasoning).toMatch(
      /^Read in the sentence "This Lease of Premises is made/,
    );
  });
});

const MINUTES = `Minutes of the Rowing Club

The annual meeting of the club was chaired by Nora Velasco. The treasurer, Emil Brandt, presented the accounts for the year. Forty-two members attended the meeting in Lisbon. The boathouse was last repaired in 2019 by a firm from Setúbal.`;

describe('questions about running text', () => {
  it('get answers of the requested type', () => {
    expect(
      extract(
        {
          chair: text('Who chaired the meeting?'),
          repaired: text('When was the boathouse last repaired?'),
          members: { type: 'integer', description: 'How many members attended the meeting?' },
        },
        MINUTES,
      ),
    ).toEqual({ chair: 'Nora Velasco', repaired: '2019', members: 42 });
  });

  it('get null if no sentence mentions the subject', () => {
    expect(
      extract(
        { salary: { type: 'number', description: 'Monthly gross salary' }, iban: text('IBAN') },
        MINUTES,
      ),
    ).toEqual({ salary: null, iban: null });
  });
});

describe('expected kind of an answer', () => {
  const HISTORY =
    'In 1931 the Alder Trust sold its mill and rebuilt Fort Merrow near the Quill River with 40 masons and 12 carts, which 95 people of Merrow paid for.\n\nThe guide "Walks Along the Quill" was written by Owen al-Tahir.';

  it('is found inside the value or beside it', () => {
    expect(
      extract(
        {
          fort: text('Which fort was rebuilt near the Quill River?'),
          masons: {
            type: 'integer',
            description: 'How many masons did the Alder Trust have to rebuild the fort?',
          },
          carts: {
            type: 'integer',
            description: 'How many carts did the Alder Trust have to rebuild the fort?',
          },
        },
        HISTORY,
      ),
    ).toEqual({ fort: 'Fort Merrow', masons: 40, carts: 12 });
  });

  it('covers quoted titles and names with particles', () => {
    const asked = {
      guide: text('Title of the guide that was written'),
      writer: text('Who wrote the guide, written along the Quill?'),
    };
    expect(extract(asked, HISTORY)).toEqual({ guide: 'Walks Along the Quill', writer: 'Owen al-Tahir' });
  });
});

it('lists parties without dates, document names and section names', () => {
  const page =
    'STRATEGIC ALLIANCE AGREEMENT\n\nThis Strategic Alliance Agreement is made on May 4, 2031 between Alder Works Ltd. (“Alder”), Birch Line GmbH (“Birch”) and, under Exhibit A from June 12 on, Cedar Hill Inc. (“Cedar”).';
  expect(extract({ parties: names('The parties to the agreement') }, page)).toEqual({
    parties: ['Alder Works Ltd.', 'Birch Line GmbH', 'Cedar Hill Inc.'],
  });
});

it('extracts a duration in the language of the document', () => {
  const letter =
    'Chère Madame,\n\nLe présent contrat de location est conclu pour une durée de six mois. Veuillez agréer, Madame, mes salutations distinguées.';
  expect(extract({ duree: text('Durée du contrat de location') }, letter)).toEqual({ duree: '6 mois' });
});

it('distinguishes start and end of a period by the preceding words', () => {
  const cv =
    'Curriculum vitae\n\nIda Lund worked as a pilot at Kiln Air from 2 March 2027 until 31 May 2031 in Bergen.';
  const asked = {
    start_date: date('Day on which the work as a pilot began'),
    end_date: date('Day on which the work as a pilot ended'),
  };
  expect(extract(asked, cv)).toEqual({ start_date: '2027-03-02', end_date: '2031-05-31' });
});

it('extracts a place and a duration from the text after a label', () => {
  const form = 'Governing law: that of the State of Oregon applies\nTerm: for a period of two (2) years';
  const asked = { governing_law: text('State whose law applies'), term: text("e.g. '5 years'") };
  expect(extract(asked, form)).toEqual({ governing_law: 'Oregon', term: '2 years' });
});

describe('sentences', () => {
  const sentences = (page: string) => listSentences([textPage(page)]).map((sentence) => sentence.text);

  it.each([
    ['letters', '(a)', '(b)'],
    ['small roman numbers', '(ii)', '(iii)'],
  ])('split an enumeration by %s', (_, first, second) => {
    const page = `${first} The tenant pays the rent on the first day of a month. ${second} The landlord repairs the roof.`;
    expect(sentences(page)).toEqual([
      `${first} The tenant pays the rent on the first day of a month.`,
      `${second} The landlord repairs the roof.`,
    ]);
  });

  it('continue after an abbreviation that precedes a bracket', () => {
    for (const bracket of ['(the landlord)', '(en adelante, el landlord)']) {
      const page = `The flat is let by Casas del Sur S.L. ${bracket} to Nora Velasco.`;
      expect(sentences(page)).toEqual([page]);
    }
  });
});

it.each([
  ['Title of the annual report', true],
  ['Title of the document', true],
  ['Title of the film that is shown', false],
])('detects whether a title field means the title of the document: %s', (description, is) => {
  const schema: JsonSchema = { type: 'object', properties: { title: text(description) } };
  expect(asksForTitle(describeField(schema, 'title', text(description)))).toBe(is);
});

describe('lists of names', () => {
  const field = describeField({}, 'witnesses', text('Who saw the accident?'));
  const listed = (page: string) =>
    findNameListCandidates(
      field,
      new Prose(
        [textPage(page)],
        () => 1,
        createDictionaries({}, page, () => 1),
      ),
      {
        dateOrder: 'dmy',
        decimalMark: '.',
      },
      [],
    ).map(({ value }) => value);

  it('include people whose surnames are names of document parts', () => {
    const page =
      'The accident was seen by Larry Page, Anna Bill and Marie Lease on the bridge near the mill.';
    expect(listed(page)).toEqual(expect.arrayContaining(['Larry Page', 'Anna Bill', 'Marie Lease']));
  });

  it('exclude document types and sentence subjects', () => {
    const page =
      'The accident was seen by Nora Velasco, as the Witness Statement and a Delivery Note say. A statement is signed.';
    expect(listed(page)).toContain('Nora Velasco');
    expect(listed(page)).not.toContain('Witness Statement');
    expect(listed(`Credit Note\n\nThe Credit Note was seen by Nora Velasco.`)).not.toContain('Credit Note');
  });
});

it('extracts a storage location that is a number', () => {
  const page = 'Delivery note 4711\n\nStorage location: A-12-03\nArticle: Oak board';
  expect(extract({ storage_location: text('Storage location') }, page)).toEqual({
    storage_location: 'A-12-03',
  });
});

it('keeps a title that is part of a company name', () => {
  const page =
    'Supply Agreement\n\nThis Supply Agreement is made on May 4, 2031. The pudding powder is supplied by Dr. Quill GmbH to the canteen every month.';
  expect(extract({ supplied_by: text('Who supplies the pudding powder?') }, page)).toEqual({
    supplied_by: 'Dr. Quill GmbH',
  });
});
