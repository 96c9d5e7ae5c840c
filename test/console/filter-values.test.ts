import { expect, it } from 'vitest';
import { describeFilters, type Filters } from '../../console/src/screens/playground/filter-values.ts';

it.each<[Filters, string]>([
  [
    {
      filters: [
        { key: 'year', operator: '>=', value: 2020 },
        { key: 'author', value: 'Ada' },
      ],
    },
    'year ≥ 2020 and author is Ada',
  ],
  [
    {
      condition: 'or',
      filters: [
        { key: 'kind', operator: 'in', value: ['letter', 'memo'] },
        { key: 'note', operator: 'is_empty' },
        {
          condition: 'not',
          filters: [{ key: 'title', operator: 'text_match_insensitive', value: 'pier' }],
        },
      ],
    },
    'kind is one of: letter, memo or note is empty or (not (title contains the text "pier" (ignoring case)))',
  ],
])('describes filters as a sentence', (filters, text) => {
  expect(describeFilters(filters)).toBe(text);
});
