import { describe, expect, it } from 'vitest';
import { compilePattern, PatternError } from '#src/lib/text/pattern.ts';

describe('compilePattern', () => {
  it.each([
    ['report\\-\\d+\\.pdf$', 'a/report-1.pdf', 'report-x.pdf'],
    ['^\\p{Lu}', 'Élan', 'élan'],
    ['^\\p{Script=Greek}+$', 'αβγ', 'abc'],
    ['(?i)invoice', 'INVOICE 1', 'bill'],
    ['(?P<year>\\d{4})-(?<month>\\d\\d)', '2026-11', '26-11'],
    ['^\\u00e9\\/[\\w\\-]+$', 'é/a-b', 'e/a-b'],
    ['[(?=]', '(', 'a'],
    ['^\\\\1$', '\\1', '1'],
    ['a|b$', 'xb', 'xc'],
  ])('matches %s in %j, and not in %j', (source, found, missed) => {
    expect(compilePattern(source).test(found)).toBe(true);
    expect(compilePattern(source).test(missed)).toBe(false);
  });

  it.each([
    ['a(', 'missing closing )'],
    ['(?=a)b', 'look-around'],
    ['(?<!a)b', 'look-around'],
    ['(a)\\1', 'back-reference'],
    ['(?<x>a)\\k<x>', 'back-reference'],
    ['(?>a)', 'atomic group'],
    ['(a{1000}){1000}', 'invalid repeat count'],
    ['(?:[a-z]{0,900}b){5}', 'repeat'],
    ['('.repeat(3000) + ')'.repeat(3000), 'nests too deeply'],
    ['a'.repeat(20_000), 'too long'],
  ])('rejects case %# with a reason', (source, reason) => {
    expect(() => compilePattern(source)).toThrow(PatternError);
    expect(() => compilePattern(source)).toThrow(reason);
  });

  it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*)*b'])('terminates for %s on a hostile text', (source) => {
    expect(compilePattern(source).test(`${'a'.repeat(40)}!`)).toBe(false);
  });

  it('rejects a text that takes too many steps for a large pattern', () => {
    const pattern = compilePattern('(.*){900}$');
    expect(pattern.test('ab')).toBe(true);
    expect(() => pattern.test('ab'.repeat(20_000))).toThrow(PatternError);
  });
});
