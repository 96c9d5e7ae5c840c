import { describe, expect, it } from 'vitest';
import { getDefaultAlpha } from '#src/retrieval/modes/chunks.ts';
import {
  DEFAULTS,
  mergeParameters,
  type PresetRetrievalParameters,
  presetRetrievalParameters,
  queryText,
  type RetrievalParameters,
} from '#src/retrieval-contract/parameters.ts';

it('has the documented defaults', () => {
  expect(DEFAULTS).toEqual({
    alpha: null,
    dense_similarity_cutoff: 0,
    dense_similarity_top_k: 30,
    sparse_similarity_top_k: 30,
    enable_reranking: true,
    rerank_top_n: 6,
    files_top_k: 1,
    retrieval_mode: 'chunks',
    retrieve_page_figure_nodes: false,
    retrieve_page_screenshot_nodes: false,
    search_filters: null,
    search_filters_inference_schema: null,
  });
});

describe('request limits', () => {
  const accepts = (name: string, value: unknown) =>
    presetRetrievalParameters.safeParse({ [name]: value }).success;

  it.each([
    ['alpha', 0, 1, 0.01],
    ['dense_similarity_cutoff', 0, 1, 0.01],
    ['dense_similarity_top_k', 1, 100, 1],
    ['sparse_similarity_top_k', 1, 100, 1],
    ['rerank_top_n', 1, 100, 1],
    ['files_top_k', 1, 5, 1],
  ])('allow %s from %d to %d', (name, least, most, step) => {
    expect([least - step, least, most, most + step].map((value) => accepts(name, value))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('allow a query of 1 to 20000 characters that is not blank', () => {
    const asks = (query: string) => queryText.safeParse(query).success;
    expect(['', ' \n', 'x', 'x'.repeat(20_000), 'x'.repeat(20_001)].map(asks)).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });
});

const filter = (value: string) => ({
  condition: 'and' as const,
  filters: [{ key: 'a', operator: '==' as const, value }],
});

/** Two non-default values for each parameter. */
const VALUES: {
  [Name in keyof RetrievalParameters]: [RetrievalParameters[Name], RetrievalParameters[Name]];
} = {
  alpha: [0.3, 0],
  dense_similarity_cutoff: [0.4, 0.2],
  dense_similarity_top_k: [7, 8],
  sparse_similarity_top_k: [9, 10],
  enable_reranking: [false, false],
  rerank_top_n: [3, 4],
  files_top_k: [2, 5],
  retrieval_mode: ['files_via_content', 'auto_routed'],
  retrieve_page_figure_nodes: [true, true],
  retrieve_page_screenshot_nodes: [true, true],
  search_filters: [filter('x'), filter('y')],
  search_filters_inference_schema: [{ year: { type: 'integer' } }, { author: { type: 'string' } }],
};
const NAMES = Object.keys(VALUES) as (keyof RetrievalParameters)[];

/** Parses parameters from a request. Missing members stay missing. */
const read = (input: Record<string, unknown>): PresetRetrievalParameters =>
  presetRetrievalParameters.parse(JSON.parse(JSON.stringify(input)));
const merged = (request: Record<string, unknown>, preset: Record<string, unknown>) =>
  mergeParameters(read(request), read(preset));

describe.each(NAMES)('%s', (name) => {
  const [stored, asked] = VALUES[name];
  const outcome = (request: Record<string, unknown>, preset: Record<string, unknown>) =>
    merged(request, preset)[name];

  it.each([
    ['omitted, no preset: the default', {}, {}, DEFAULTS[name]],
    ['omitted, preset null: the default', {}, { [name]: null }, DEFAULTS[name]],
    ['omitted, preset: the preset', {}, { [name]: stored }, stored],
    ['null, no preset: the default', { [name]: null }, {}, DEFAULTS[name]],
    ['null, preset: the default', { [name]: null }, { [name]: stored }, DEFAULTS[name]],
    ['given, no preset: the request', { [name]: asked }, {}, asked],
    ['given, preset null: the request', { [name]: asked }, { [name]: null }, asked],
    ['given, preset: the request', { [name]: asked }, { [name]: stored }, asked],
  ])('%s', (_title, request, preset, expected) => {
    expect(outcome(request, preset)).toEqual(expected);
  });

  it('does not change other parameters', () => {
    const others = { ...merged({ [name]: asked }, {}), [name]: DEFAULTS[name] };
    expect(others).toEqual(DEFAULTS);
  });
});

describe('retrieve_image_nodes', () => {
  const kinds = (request: Record<string, unknown>, preset: Record<string, unknown>) => {
    const { retrieve_page_figure_nodes, retrieve_page_screenshot_nodes } = merged(request, preset);
    return [retrieve_page_figure_nodes, retrieve_page_screenshot_nodes];
  };

  it.each([
    ['asks for both kinds', { retrieve_image_nodes: true }, {}, [true, true]],
    [
      'asks for both even beside a no to one',
      { retrieve_image_nodes: true, retrieve_page_figure_nodes: false },
      {},
      [true, true],
    ],
    ['asks through the preset', {}, { retrieve_image_nodes: true }, [true, true]],
    [
      'of the preset yields to the request on one kind',
      { retrieve_page_figure_nodes: false },
      { retrieve_image_nodes: true },
      [false, true],
    ],
    [
      'of the preset yields to null',
      { retrieve_image_nodes: null },
      { retrieve_image_nodes: true },
      [false, false],
    ],
    [
      'false asks for nothing',
      { retrieve_image_nodes: false },
      { retrieve_image_nodes: true },
      [false, false],
    ],
    [
      'false leaves the preset on one kind',
      { retrieve_image_nodes: false },
      { retrieve_page_figure_nodes: true },
      [true, false],
    ],
  ])('%s', (_title, request, preset, expected) => {
    expect(kinds(request, preset)).toEqual(expected);
  });
});

it('default alpha depends on the embedding model', () => {
  expect(DEFAULTS.alpha).toBeNull();
  expect(getDefaultAlpha('builtin/hashed-words-1-384')).toBeLessThan(
    getDefaultAlpha('text-embedding-3-small'),
  );
});
