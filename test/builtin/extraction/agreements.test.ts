import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { textPage } from '#test/extraction/pages.ts';
import { extractNow } from './extract.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const date = (description: string): JsonSchema => ({ type: 'string', format: 'date', description });
const names = (description: string): JsonSchema => ({
  type: 'array',
  description,
  items: { type: 'string' },
});
const extract = (properties: Record<string, JsonSchema>, page: string) =>
  extractNow({ type: 'object', properties }, [textPage(page)], 'per_doc')[0]!.value;

const LAW = { applicable_law: text('State or country whose law decides disputes about this agreement') };
const TERM = { duration: text('How long the duty of secrecy lasts, such as "18 months"') };
const START = { in_force_from: date('Day from which this agreement applies') };
const PARTIES = { parties: names('The parties to the agreement') };

describe('the law of an agreement', () => {
  it.each([
    [
      'This Agreement shall be governed by the laws of the Commonwealth of Kentucky, without regard to others.',
      'Kentucky',
    ],
    ['This letter is construed in accordance with the Laws of the State of Oregon.', 'Oregon'],
    ['This Agreement is governed by Nevada law and every court shall apply it.', 'Nevada'],
    ['Diese Vereinbarung unterliegt dem Recht der Schweiz und wird danach ausgelegt.', 'Schweiz'],
    ['Le présent contrat est régi par le droit de la Belgique pour tous les litiges.', 'Belgique'],
    ['El presente contrato se rige por las leyes de Chile para todos los efectos.', 'Chile'],
    [
      'THIS AGREEMENT IS GOVERNED BY THE LAWS OF THE STATE OF OHIO APPLICABLE TO CONTRACTS MADE THERE.',
      'OHIO',
    ],
  ])('is the place in: %s', (sentence, place) => {
    const page = `Secrecy\n\nThe parties met in Paris and agreed on the following rules.\n\n${sentence}`;
    expect(extract(LAW, page)).toEqual({ applicable_law: place });
  });

  it('is null if the text names no law', () => {
    const page =
      'Secrecy\n\nThe parties met in Paris and agreed that each keeps the facts of the other secret.';
    expect(extract(LAW, page)).toEqual({ applicable_law: null });
  });
});

describe('the term of an agreement', () => {
  it.each([
    ['This Agreement shall remain in force for a period of two (2) years from the date above.', '2 years'],
    ['Diese Vereinbarung gilt für die Dauer von 5 Jahren ab Unterzeichnung.', '5 jahren'],
    ['Le présent accord reste en vigueur pendant 3 ans après sa signature.', '3 ans'],
    ['El presente acuerdo permanecerá en vigor durante 18 meses desde su firma.', '18 meses'],
  ])('is the length of time in: %s', (sentence, length) => {
    const page = `Secrecy\n\nNeither party hires staff of the other for 9 months.\n\n${sentence}`;
    expect(extract(TERM, page)).toEqual({ duration: length });
  });

  it('is not a length of time that is too short for an agreement', () => {
    const page = 'Secrecy\n\nThis Agreement remains in force while the 7 days for an objection last.';
    expect(extract(TERM, page)).toEqual({ duration: null });
  });

  it('is not taken for the notice that ends it', () => {
    const notice = { notice_period: text('Notice to prevent renewal of the agreement, such as "60 days"') };
    const page =
      'Supply\n\nThis Agreement is renewed for 1 year unless a party gives notice of non-renewal of 45 days.';
    expect(extract(notice, page)).toEqual({ notice_period: '45 days' });
  });

  it('is not the time of a notice', () => {
    const page = 'Secrecy\n\nThis Agreement ends if a party gives the other written notice of 30 days.';
    expect(extract(TERM, page)).toEqual({ duration: null });
  });
});

describe('the day on which an agreement takes effect', () => {
  it.each([
    [
      'This Agreement is made and entered into this 2nd day of May , 2031 by and between Ash Inc. and Elm Ltd.',
      '2031-05-02',
    ],
    [
      'THIS AGREEMENT (the “Agreement”), dated as of May 12th, 2031, is between Ash Inc. and Elm Ltd.',
      '2031-05-12',
    ],
    [
      'Diese Vereinbarung wird am 4. Mai 2031 zwischen der Ash GmbH und der Elm AG geschlossen.',
      '2031-05-04',
    ],
    ['Cet accord est conclu le 5 mai 2031 entre Ash SARL et Elm SA pour leurs projets.', '2031-05-05'],
  ])('is the day of the opening: %s', (opening, day) => {
    const page = `Agreement\n\n${opening}\n\nThe parties began to talk on 1 March 2030 about a mill.`;
    expect(extract(START, page)).toEqual({ in_force_from: day });
  });

  it('is the day of effect rather than the day of signing', () => {
    const page =
      'CONSULTING AGREEMENT\n\nThe parties agree to this Agreement dated June 1, 2030, effective as of July 1, 2030.';
    expect(extract(START, page)).toEqual({ in_force_from: '2030-07-01' });
  });

  it('is not the day of effect of an earlier agreement', () => {
    const filler = Array.from({ length: 15 }, (_, index) => `The parties keep rule ${index} with care.`).join(
      '\n\n',
    );
    const page = `This Agreement is made on May 2, 2031 between Ash Inc. and Oak Inc.\n\n${filler}\n\nThe lease was effective as of March 1, 2020.`;
    expect(extract(START, page)).toEqual({ in_force_from: '2031-05-02' });
  });

  it('is the date of a letter', () => {
    const page =
      'April 15, 2031\n\nElm Ltd\n\nLadies and Gentlemen:\n\nYou asked us for facts about our mill, which we give you.';
    expect(extract(START, page)).toEqual({ in_force_from: '2031-04-15' });
  });

  it('is the date beside a signature, unless signatures have different dates', () => {
    const clause = 'Each party keeps the facts of the other secret and uses them for the mill only.\n\n';
    const body = `Secrecy\n\n${clause.repeat(15)}`;
    expect(extract(START, `${body}/s/ Ann Lee\n\nDate: 3 May 2031`)).toEqual({ in_force_from: '2031-05-03' });
    expect(extract(START, `${body}Date: 3 May 2031\n\nDate: 9 May 2031`)).toEqual({ in_force_from: null });
  });
});

describe('the parties of an agreement', () => {
  it('exclude persons who sign for a company', () => {
    const page =
      'This Agreement is made between Ash Works, Inc. and Oak Mills LLC.\n\nASH WORKS, INC.\n\n/s/ Joan Lee\n\nOAK MILLS LLC\n\n/s/ Max Orr\n\nTitle: Director';
    expect(extract(PARTIES, page)).toEqual({ parties: ['Ash Works, Inc.', 'Oak Mills LLC'] });
  });

  it('end with the legal form beside a signature', () => {
    const page =
      'This Agreement is made between Ash Works, Inc. and Oak/Elm Mills LLC.\n\nAsh Works, Inc. Consultant\nBy: Joan Lee\n\nFor Oak/Elm Mills LLC\nBy: Max Orr';
    expect(extract(PARTIES, page)).toEqual({ parties: ['Ash Works, Inc.', 'Oak/Elm Mills LLC'] });
  });

  it('may have names that end alike', () => {
    const page =
      'This Agreement is made between Lee Health Services, Inc. and Health Services, Inc., both of Ohio.';
    expect(extract(PARTIES, page)).toEqual({
      parties: ['Lee Health Services, Inc.', 'Health Services, Inc.'],
    });
  });

  it('include those that only sign it', () => {
    const page =
      'Secrecy\n\nEach party keeps the facts of the other secret and uses them only for the mill.\n\n' +
      'HARBOUR LIGHTS, INC.\nBy: /s/ Ann Lee\nName: Ann Lee\n\n/s/ Joan R. Miller';
    expect(extract(PARTIES, page)).toEqual({ parties: ['HARBOUR LIGHTS, INC.', 'Joan R. Miller'] });
  });

  it('are names and not the text after the word for a party', () => {
    const page =
      'This Agreement is made by and between Ash Works LLC and Elm Ltd.\n\n' +
      'Parties:\n\n- is given to others\n- or is known';
    expect(extract(PARTIES, page)).toEqual({ parties: ['Ash Works LLC', 'Elm Ltd.'] });
  });

  it('keep suffixes, initials and articles, and end with the legal form', () => {
    const page =
      'This Agreement is made by and between Al P. Lee, Jr. (“Lee”), U.S. Ash Works, LLC (“Ash”) and The Elm Company (the “Company”).\n\n' +
      'The Company pays under the Elm Company Bonus Plan.';
    expect(extract(PARTIES, page)).toEqual({
      parties: ['Al P. Lee, Jr.', 'U.S. Ash Works, LLC', 'The Elm Company'],
    });
  });

  it('exclude defined terms and titles', () => {
    const page =
      'MUTUAL SECRECY AGREEMENT\n\nThis Agreement is made between Ash Works Inc. and Elm Mills Ltd. The term “Evaluation Material” means the facts that Ash Works Inc. gives.\n\n' +
      'Elm Mills Ltd. keeps the Evaluation Material secret.';
    expect(extract(PARTIES, page)).toEqual({ parties: ['Ash Works Inc.', 'Elm Mills Ltd.'] });
  });
});
