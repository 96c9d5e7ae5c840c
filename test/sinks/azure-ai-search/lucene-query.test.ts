import { describe, expect, it } from 'vitest';
import { toLuceneQuery } from '#src/sinks/azure-ai-search/search/lucene-query.ts';

const weigh = (finding: [string, number][], ranking: [string, number][] = []) => ({
  finding: new Map(finding),
  ranking: new Map(ranking),
});

describe('Lucene query', () => {
  it('escapes special characters and boosts each term', () => {
    expect(toLuceneQuery(weigh([['fi:~_abc', 0.25]]))).toBe('fi\\:\\~_abc^0.2500');
    expect(toLuceneQuery(weigh([['a+-&|!(){}[]^"~*?:\\/z', 1]]))).toBe(
      'a\\+\\-\\&\\|\\!\\(\\)\\{\\}\\[\\]\\^\\"\\~\\*\\?\\:\\\\\\/z^1.0000',
    );
  });

  it('requires a finding term and adds ranking terms', () => {
    const query = toLuceneQuery(
      weigh(
        [
          ['en:seal', 1],
          ['en:walrus', 2],
        ],
        [['en:the', 0.1]],
      ),
    );
    expect(query).toBe('+(en\\:walrus^2.0000 en\\:seal^1.0000) en\\:the^0.1000');
  });

  it('is undefined if no finding term has a weight', () => {
    expect(toLuceneQuery(weigh([], [['en:the', 0.1]]))).toBeUndefined();
    expect(toLuceneQuery(weigh([['en:rare', 1e-9]]))).toBeUndefined();
  });

  it('keeps the terms with the highest weights within the limits of a query', () => {
    const many = toLuceneQuery(
      weigh(
        Array.from({ length: 4_000 }, (_, at) => [`en:${at}`, 1 + at]),
        [['en:the', 0.1]],
      ),
    )!;
    expect(many.split(' ')).toHaveLength(2_500);
    expect(many.startsWith('en\\:3999^4000.0000 ')).toBe(true);
    const long = toLuceneQuery(
      weigh(Array.from({ length: 2_000 }, (_, at) => [`en:${at}${'x'.repeat(60)}`, 1])),
    )!;
    expect(long.length).toBeGreaterThan(90_000);
    expect(long.length).toBeLessThanOrEqual(100_000);
  });
});
