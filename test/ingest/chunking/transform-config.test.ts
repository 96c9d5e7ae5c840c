import { describe, expect, it } from 'vitest';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';

const parse = (input: unknown) => transformConfig.parse(input);
const messages = (input: unknown) =>
  transformConfig.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('transform configuration', () => {
  it('defaults to auto mode with 1024 tokens and an overlap of 200', () => {
    const auto = { mode: 'auto', chunk_size: 1024, chunk_overlap: 200 };
    expect(parse({})).toEqual(auto);
    expect(parse({ mode: 'auto' })).toEqual(auto);
  });

  it('applies the defaults of every mode', () => {
    const sizes = { chunk_size: 1024, chunk_overlap: 200 };
    const chunking = (mode: string) => {
      const config = parse({ mode: 'advanced', chunking_config: { mode } });
      return config.mode === 'advanced' && config.chunking_config;
    };
    expect(chunking('none')).toEqual({ mode: 'none' });
    expect(chunking('character')).toEqual({ mode: 'character', ...sizes });
    expect(chunking('token')).toEqual({ mode: 'token', ...sizes, separator: ' ' });
    expect(chunking('sentence')).toEqual({
      mode: 'sentence',
      ...sizes,
      separator: ' ',
      paragraph_separator: '\n\n\n',
    });
    expect(chunking('semantic')).toEqual({
      mode: 'semantic',
      buffer_size: 1,
      breakpoint_percentile_threshold: 95,
    });
    expect(parse({ mode: 'advanced', segmentation_config: { mode: 'page' } })).toEqual({
      mode: 'advanced',
      chunking_config: { mode: 'sentence', ...sizes, separator: ' ', paragraph_separator: '\n\n\n' },
      segmentation_config: { mode: 'page', page_separator: '\n---\n' },
    });
  });

  it('infers the modes of a configuration without modes', () => {
    expect(parse({ segmentation_config: { mode: 'element' } })).toMatchObject({
      mode: 'advanced',
      segmentation_config: { mode: 'element' },
      chunking_config: { mode: 'sentence' },
    });
    expect(parse({ chunking_config: { chunk_size: 100 } })).toMatchObject({
      chunking_config: { mode: 'sentence', chunk_size: 100 },
      segmentation_config: { mode: 'none' },
    });
  });

  it('treats null like an omitted field', () => {
    expect(parse({ mode: null, chunk_size: null, chunk_overlap: null, chunking_config: null })).toEqual(
      parse({}),
    );
    expect(
      parse({ chunking_config: { mode: 'token', chunk_size: null }, segmentation_config: null }),
    ).toEqual(parse({ chunking_config: { mode: 'token' } }));
  });

  it('reduces the default overlap for a small chunk size', () => {
    expect(parse({ chunk_size: 100 })).toMatchObject({ chunk_size: 100, chunk_overlap: 19 });
    expect(parse({ chunk_size: 1 })).toMatchObject({ chunk_overlap: 0 });
    expect(parse({ chunk_size: 4096 })).toMatchObject({ chunk_overlap: 200 });
  });

  it.each([
    [
      { chunk_size: 100, chunk_overlap: 100 },
      'chunk_overlap: chunk_overlap (100) must be smaller than chunk_size (100)',
    ],
    [
      { chunking_config: { mode: 'token', chunk_size: 10, chunk_overlap: 11 } },
      'chunking_config.chunk_overlap: chunk_overlap (11) must be smaller than chunk_size (10)',
    ],
    [{ chunk_overlap: 2000 }, 'chunk_overlap (2000) must be smaller than chunk_size (1024)'],
    [{ chunk_size: 0 }, 'chunk_size: '],
    [{ chunk_size: 1.5 }, 'chunk_size: '],
    [{ chunk_overlap: -1 }, 'chunk_overlap: '],
    [{ mode: 'manual' }, 'mode: '],
    [
      { chunking_config: { mode: 'semantic', breakpoint_percentile_threshold: 101 } },
      'breakpoint_percentile_threshold',
    ],
  ])('rejects %j', (input, message) => {
    expect(messages(input)?.join('\n')).toContain(message);
  });
});
