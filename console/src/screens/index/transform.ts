/** How documents become chunks, as a form holds it: sizes are what was typed. */
export interface TransformDraft {
  preset: 'auto' | 'pages' | 'custom';
  /** With `custom`: where a document is parted first. */
  segments: 'none' | 'page' | 'element';
  chunker: 'sentence' | 'token' | 'character' | 'semantic' | 'none';
  size: string;
  overlap: string;
}

export const DEFAULT_TRANSFORM: TransformDraft = {
  preset: 'auto',
  segments: 'none',
  chunker: 'sentence',
  size: '1024',
  overlap: '200',
};

type Stored = Record<string, unknown>;

const partOf = (stored: Stored, name: string) => (stored[name] ?? {}) as Stored;
const textOf = (value: unknown, fallback: string) => (typeof value === 'number' ? String(value) : fallback);

/** What the service keeps, as a draft. */
export function transformDraft(stored: Stored | null | undefined): TransformDraft {
  if (!stored) return DEFAULT_TRANSFORM;
  const isAuto = stored.mode === 'auto';
  const chunking = isAuto ? stored : partOf(stored, 'chunking_config');
  const draft: TransformDraft = {
    preset: 'custom',
    segments: (partOf(stored, 'segmentation_config').mode ?? 'none') as TransformDraft['segments'],
    chunker: (isAuto ? 'sentence' : (chunking.mode ?? 'sentence')) as TransformDraft['chunker'],
    size: textOf(chunking.chunk_size, DEFAULT_TRANSFORM.size),
    overlap: textOf(chunking.chunk_overlap, DEFAULT_TRANSFORM.overlap),
  };
  const isSized = draft.size !== DEFAULT_TRANSFORM.size || draft.overlap !== DEFAULT_TRANSFORM.overlap;
  if (isAuto) return { ...draft, preset: 'auto' };
  const isPages = draft.segments === 'page' && draft.chunker === 'sentence' && !isSized;
  return { ...draft, preset: isPages ? 'pages' : 'custom' };
}

export const hasSizes = ({ chunker }: Pick<TransformDraft, 'chunker'>) =>
  chunker !== 'none' && chunker !== 'semantic';

/**
 * What is sent for a draft. What the service keeps beside it of the same kind (separators, thresholds) stays. A size
 * that is no number is sent as it was typed: the service says what is wrong with it.
 */
export function transformConfig(draft: TransformDraft, stored?: Stored | null): Stored {
  const { preset, segments, chunker, size, overlap } = draft;
  const number = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : text);
  const sizes = { chunk_size: number(size), chunk_overlap: number(overlap) };
  if (preset === 'auto') return { mode: 'auto', ...sizes };
  if (preset === 'pages') {
    return {
      mode: 'advanced',
      segmentation_config: { mode: 'page' },
      chunking_config: { mode: 'sentence' },
    };
  }
  const kept = (name: string, mode: string) => {
    const part = partOf(stored ?? {}, name);
    return part.mode === mode ? part : {};
  };
  return {
    mode: 'advanced',
    segmentation_config: { ...kept('segmentation_config', segments), mode: segments },
    chunking_config: {
      ...kept('chunking_config', chunker),
      mode: chunker,
      ...(hasSizes({ chunker }) && sizes),
    },
  };
}

/** In some words: "by sentences, 1024 tokens". */
export function describeTransform(stored: Stored | null | undefined): string {
  const draft = transformDraft(stored);
  if (draft.preset === 'auto') return `Chosen by the document, ${draft.size} tokens`;
  const parts = { none: '', page: 'Page by page, ', element: 'Element by element, ' }[draft.segments];
  const unit = draft.chunker === 'character' ? 'characters' : 'tokens';
  const chunks = {
    none: 'not cut further',
    semantic: 'by meaning',
    sentence: `by sentences, ${draft.size} ${unit}`,
    token: `by tokens, ${draft.size} ${unit}`,
    character: `by characters, ${draft.size} ${unit}`,
  }[draft.chunker];
  const words = `${parts}${chunks}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
