import { DrizzleQueryError } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { messageOf, stackOf } from '#src/lib/errors.ts';

describe('errors in logs and status details', () => {
  it('tell a failed query by its cause, without its parameters', () => {
    const cause = new Error('D1_ERROR: no such column: x');
    const error = new DrizzleQueryError('insert into t values (?)', ['a private text'], cause);
    expect(error.message).toContain('a private text');
    expect(messageOf(error)).toBe('query failed: D1_ERROR: no such column: x');
    expect(stackOf(error)).toMatch(/^\s+at /);
    expect(stackOf(error)).not.toContain('a private text');
  });

  it('are told of anything thrown', () => {
    expect(messageOf(new Error('because'))).toBe('because');
    expect(messageOf('because')).toBe('because');
    expect(stackOf('because')).toBeUndefined();
  });
});
