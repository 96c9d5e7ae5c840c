import type { Chunker, ReadDocument, Segment } from './chunker.ts';
import { characterChunker } from './chunkers/character.ts';
import { noneChunker } from './chunkers/none.ts';
import { semanticChunker } from './chunkers/semantic.ts';
import { sentenceChunker } from './chunkers/sentence.ts';
import { tokenChunker } from './chunkers/token.ts';
import { segmentByElement } from './segmenters/element.ts';
import { segmentNone } from './segmenters/none.ts';
import { segmentByPage } from './segmenters/page.ts';
import type { ChunkingConfig, SegmentationConfig } from './transform-config.ts';

type ChunkerMode = ChunkingConfig['mode'];
type SegmenterMode = SegmentationConfig['mode'];
type Segmenter<Mode extends SegmenterMode> = (
  document: ReadDocument,
  config: Extract<SegmentationConfig, { mode: Mode }>,
) => Segment[];

const chunkers = {
  none: noneChunker,
  character: characterChunker,
  token: tokenChunker,
  sentence: sentenceChunker,
  semantic: semanticChunker,
} satisfies { [Mode in ChunkerMode]: (config: Extract<ChunkingConfig, { mode: Mode }>) => Chunker };

const segmenters = {
  none: segmentNone,
  page: segmentByPage,
  element: segmentByElement,
} satisfies { [Mode in SegmenterMode]: Segmenter<Mode> };

export function createChunker(config: ChunkingConfig): Chunker {
  // The cast is safe, because the record above assigns to each mode the chunker of its configuration. The
  // compiler cannot infer this.
  return (chunkers[config.mode] as (config: ChunkingConfig) => Chunker)(config);
}

export function splitIntoSegments(document: ReadDocument, config: SegmentationConfig): Segment[] {
  return (segmenters[config.mode] as (document: ReadDocument, config: SegmentationConfig) => Segment[])(
    document,
    config,
  );
}
