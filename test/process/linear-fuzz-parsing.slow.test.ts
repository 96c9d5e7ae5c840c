import { scheduler } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { ParseError } from '#src/documents/errors.ts';
import { openDocument, parsers } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readAll } from '#test/suites/parser.suite.ts';
import { expectLinearGrowth } from '#test/support/growth.ts';
import { HOSTILE_PLACES, type HostilePlace } from '#test/support/hostile-places.ts';
import { chooseUnits, GROWTH, repeatUnit } from '#test/support/linear-fuzz.ts';
import { SHARED_PARTS } from '#test/support/shared-parts.ts';

// Parsers pause with a function of the Workers runtime that Node has under another name.
vi.stubGlobal('scheduler', scheduler);

/** Parses a document and writes its pages as JSON. A ParseError counts as an answer unless it hides another fault. */
async function parse(name: string, bytes: Uint8Array): Promise<void> {
  try {
    const document = await openDocument({ bytes, name, plan: resolveParsePlan({}) });
    JSON.stringify(await readAll(document));
    document.close();
  } catch (error) {
    expect(error).toBeInstanceOf(ParseError);
    expect(String(error)).not.toMatch(/call stack|array length|string length|out of memory|is not defined/i);
  }
}

it('hostile documents exist for every format', () => {
  expect(Object.keys(HOSTILE_PLACES).toSorted()).toEqual(Object.keys(parsers).toSorted());
});

const PLACES = Object.entries(HOSTILE_PLACES).flatMap(([kind, places]) =>
  Object.entries(places).map(([place, written]): [string, HostilePlace] => [`${kind}: ${place}`, written]),
);

describe.each(PLACES)('%s', (place, { name, write, units, most }) => {
  const growth = { ...GROWTH, most: Math.min(GROWTH.most, most ?? GROWTH.most) };
  it.each(chooseUnits(units, place))('%s', async (_, unit) => {
    await expectLinearGrowth((length) => parse(name, write(repeatUnit(unit, length))), growth);
  });
});

describe('long shared part', () => {
  it.each(Object.entries(SHARED_PARTS))('%s', async (_, { kind, write }) => {
    await expectLinearGrowth((length) => parse(`a.${kind}`, write(length)), GROWTH);
  });
});
