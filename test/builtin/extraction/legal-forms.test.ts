import { describe, expect, it } from 'vitest';
import { hasLegalForm, isLegalForm, isOnlyLegalForm } from '#src/builtin/extraction/parties/legal-forms.ts';

describe('legal forms', () => {
  it.each([
    'Ash GmbH',
    'Ash e. V.',
    'Ash Sp. z o.o.',
    'ASH LTD',
    'Ash S.p.A.',
    'Ash A/S',
    'Ash & Co. KG',
    'Ash plc',
  ])('are found in: %s', (name) => expect(hasLegalForm(name)).toBe(true));

  it.each(['ALSO KNOWN AS OAK', 'SE Harbour Road', 'as plain as it gets', 'Ash Company of Ohio', 'Oak'])(
    'are not found in: %s',
    (text) => expect(hasLegalForm(text)).toBe(false),
  );

  it('name no company by themselves', () => {
    expect(['(M) SDN BHD', 'Inc.', 'Oak Inc.', '12'].map(isOnlyLegalForm)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('are recognised with and without dots', () => {
    expect(['L.L.C', 'LLC', 'Sdn.', 'Oak'].map(isLegalForm)).toEqual([true, true, true, false]);
  });
});
