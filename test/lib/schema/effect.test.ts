import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collectWarnings, withoutEffect } from '#src/lib/schema/effect.ts';

const schema = z.object({
  name: z.string(),
  idle: withoutEffect(z.string().nullish(), 'Nobody reads it.'),
  speed: withoutEffect(z.enum(['slow', 'fast']).nullish(), (value) =>
    value === 'fast' ? 'There is one speed.' : undefined,
  ),
  nested: z.object({ idle: withoutEffect(z.boolean().nullish(), 'Not yet.') }).nullish(),
  list: z.array(z.object({ known: z.number() })).nullish(),
  free: z.record(z.string(), z.unknown()).nullish(),
  loose: z.looseObject({ known: z.string().nullish() }).nullish(),
});

describe('field without effect', () => {
  it('is reported with its path and reason', () => {
    const body = {
      name: 'n',
      idle: 'x',
      speed: 'fast',
      nested: { idle: true },
      list: [{ known: 1 }, { known: 2, other: 3 }],
      tier: 'agentic',
    };
    expect(collectWarnings(schema, body)).toEqual([
      { field: 'idle', reason: 'Nobody reads it.' },
      { field: 'speed', reason: 'There is one speed.' },
      { field: 'nested.idle', reason: 'Not yet.' },
      { field: 'list.1.other', reason: expect.stringContaining('no such field') },
      { field: 'tier', reason: expect.stringContaining('no such field') },
    ]);
  });

  it('is not reported if it asks for nothing or any member is allowed', () => {
    const body = {
      name: 'n',
      idle: null,
      speed: 'slow',
      nested: { idle: false },
      other: {},
      more: '',
      free: { anything: 1 },
      loose: { anything: 1 },
    };
    expect(collectWarnings(schema, body)).toEqual([]);
  });

  it('is counted if there are too many', () => {
    const body = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`x${at}`, at]));
    const warnings = collectWarnings(schema, body);
    expect(warnings).toHaveLength(51);
    expect(warnings.at(-1)?.reason).toContain('950 more');
  });
});
