import { scheduler } from 'node:timers/promises';
import { describe, it, vi } from 'vitest';
import { expectLinearGrowth } from '#test/support/growth.ts';
import { TEXT_STEPS } from '#test/support/hostile-text-steps.ts';
import {
  COMMON_UNITS,
  JSON_UNITS,
  MAIL_UNITS,
  MARKDOWN_UNITS,
  MARKUP_UNITS,
} from '#test/support/hostile-units.ts';
import { chooseUnits, GROWTH, repeatUnit } from '#test/support/linear-fuzz.ts';

// Some steps pause with a function of the Workers runtime that Node has under another name.
vi.stubGlobal('scheduler', scheduler);

const UNITS = {
  ...MAIL_UNITS,
  ...JSON_UNITS,
  ...MARKUP_UNITS,
  ...MARKDOWN_UNITS,
  ...COMMON_UNITS,
  'marks of citations': 'A b [1]. ',
  'addresses with passwords': 'https://a:b@',
  'signed addresses': '?sig=a&',
  'headers with credentials': 'Bearer abcdefg ',
  'wiki quotes': '{quote}',
  'wiki code': '{code}',
};

describe.each(Object.entries(TEXT_STEPS))('%s', (step, work) => {
  it.each(chooseUnits(UNITS, step))('%s', async (_, unit) => {
    await expectLinearGrowth((length) => work(repeatUnit(unit, length)), GROWTH);
  });
});
