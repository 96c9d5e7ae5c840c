import { describe, expect, it } from 'vitest';
import { storedTransformConfig, transformConfig } from '#src/ingest/chunking/transform-config.ts';
import { isValid, type Schema } from '#test/support/openapi.ts';

const sent = transformConfig.in.meta() as Schema;
const shown = storedTransformConfig.meta() as Schema;

const sizes = [
  {},
  { chunk_size: 64 },
  { chunk_size: null, chunk_overlap: null },
  { chunk_size: 0 },
  { chunk_size: '64' },
  { chunk_overlap: -1 },
  { chunk_overlap: 1.5 },
  { surplus: true },
];
const modes = (names: string[]) => [
  {},
  { mode: null },
  { mode: 'other' },
  ...names.map((mode) => ({ mode })),
];
const product = (...lists: object[][]) =>
  lists.reduce((made, list) => made.flatMap((one) => list.map((other) => ({ ...one, ...other }))));

const chunkers = product(modes(['none', 'character', 'token', 'sentence', 'semantic']), [
  ...sizes,
  { separator: null },
  { separator: 1 },
  { paragraph_separator: 1 },
  { buffer_size: 11 },
  { buffer_size: 1 },
]);
const segmenters = product(modes(['none', 'page', 'element']), [
  {},
  { page_separator: 1 },
  { page_separator: '-' },
]);
const advanced = [
  {},
  { chunking_config: null, segmentation_config: null },
  { chunking_config: 'x' },
  { segmentation_config: [] },
  ...chunkers.map((chunking_config) => ({ chunking_config })),
  ...segmenters.map((segmentation_config) => ({ segmentation_config })),
];
const configs = [...product(modes(['auto', 'advanced']), sizes, advanced), [], 'auto', 5];

describe('JSON schema of transform configurations', () => {
  it('accepts and rejects the same configurations as the parser', () => {
    const wrong = configs.filter(
      (config) => isValid(sent, config) !== transformConfig.safeParse(config).success,
    );
    expect(wrong).toEqual([]);
    expect(configs.filter((config) => isValid(sent, config)).length).toBeGreaterThan(500);
  });

  it('describes every parsed configuration completely', () => {
    for (const config of configs) {
      const parsed = transformConfig.safeParse(config);
      if (parsed.success) expect(isValid(shown, parsed.data), JSON.stringify(parsed.data)).toBe(true);
    }
    for (const part of [{}, { mode: 'auto' }, { mode: 'advanced' }]) expect(isValid(shown, part)).toBe(false);
  });
});
