import { describe, expect, it } from 'vitest';
import { buildWordQuery } from '#src/sinks/opensearch/search/word-query.ts';

const INDEX = { term: { sluice_index: { value: 'index' } } };
const weights = (finding: number, ranking = 0) => ({
  finding: new Map(Array.from({ length: finding }, (_, at) => [`en:${at}`, at + 1] as const)),
  ranking: new Map(Array.from({ length: ranking }, (_, at) => [`en:the${at}`, 0.1] as const)),
});
type Words = { term: { words: { value: string; boost: number } } }[];

function read(query: object) {
  const { bool } = query as {
    bool: {
      filter: object[];
      must: [{ bool: { should: Words; minimum_should_match: number } }];
      should?: Words;
    };
  };
  const values = (words: Words = []) => words.map(({ term }) => term.words.value);
  const [{ bool: must }] = bool.must;
  return { filter: bool.filter, finding: values(must.should), ranking: values(bool.should), must };
}

describe('query for words', () => {
  it('requires one of the finding terms, and weighs every term', () => {
    const query = buildWordQuery(
      { finding: new Map([['en:walrus', 0.5]]), ranking: new Map([['en:the', 0.1]]) },
      INDEX,
    );
    expect(query).toEqual({
      bool: {
        filter: [INDEX],
        must: [
          {
            bool: {
              should: [{ term: { words: { value: 'en:walrus', boost: 0.5 } } }],
              minimum_should_match: 1,
            },
          },
        ],
        should: [{ term: { words: { value: 'en:the', boost: 0.1 } } }],
      },
    });
  });

  it('has at most as many words as the products allow, the heaviest of them', () => {
    const { finding, ranking } = read(buildWordQuery(weights(2_000, 5), INDEX));
    expect([finding.length, ranking.length]).toEqual([998, 0]);
    expect([finding[0], finding.at(-1)]).toEqual(['en:1999', 'en:1002']);
  });

  it('has ranking terms only in the room that the finding terms leave', () => {
    const { finding, ranking } = read(buildWordQuery(weights(990, 20), INDEX));
    expect([finding.length, ranking.length]).toEqual([990, 8]);
  });

  it('counts the conditions of a pre-filter, and leaves out one that is too long', () => {
    const condition = { terms: { metadata_values: ['x'] } };
    const list = (count: number) => ({ bool: { filter: Array.from({ length: count }, () => condition) } });
    const short = read(buildWordQuery(weights(2_000), INDEX, list(200)));
    expect([short.filter, short.finding.length]).toEqual([[INDEX, list(200)], 598]);
    const nested = { bool: { should: [list(150), list(51)], minimum_should_match: 1 } };
    for (const long of [list(201), nested]) {
      const { filter, finding } = read(buildWordQuery(weights(2_000), INDEX, long));
      expect([filter, finding.length]).toEqual([[INDEX], 998]);
    }
  });
});
