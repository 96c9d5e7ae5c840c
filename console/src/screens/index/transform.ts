import { t } from '../../i18n/messages.ts';

/** Chunking settings in a form. Sizes are stored as typed text. */
export interface TransformDraft {
  preset: 'auto' | 'pages' | 'custom';
  /** Boundaries at which a document is split first. Applies only to the preset `custom`. */
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

const getSection = (stored: Stored, name: string) => (stored[name] ?? {}) as Stored;
const toText = (value: unknown, fallback: string) => (typeof value === 'number' ? String(value) : fallback);

/** Converts stored chunking settings into a form draft. */
export function toTransformDraft(stored: Stored | null | undefined): TransformDraft {
  if (!stored) return DEFAULT_TRANSFORM;
  const isAuto = stored.mode === 'auto';
  const chunking = isAuto ? stored : getSection(stored, 'chunking_config');
  const draft: TransformDraft = {
    preset: 'custom',
    segments: (getSection(stored, 'segmentation_config').mode ?? 'none') as TransformDraft['segments'],
    chunker: (isAuto ? 'sentence' : (chunking.mode ?? 'sentence')) as TransformDraft['chunker'],
    size: toText(chunking.chunk_size, DEFAULT_TRANSFORM.size),
    overlap: toText(chunking.chunk_overlap, DEFAULT_TRANSFORM.overlap),
  };
  const isSized = draft.size !== DEFAULT_TRANSFORM.size || draft.overlap !== DEFAULT_TRANSFORM.overlap;
  if (isAuto) return { ...draft, preset: 'auto' };
  const isPages = draft.segments === 'page' && draft.chunker === 'sentence' && !isSized;
  return { ...draft, preset: isPages ? 'pages' : 'custom' };
}

export const hasSizes = ({ chunker }: Pick<TransformDraft, 'chunker'>) =>
  chunker !== 'none' && chunker !== 'semantic';

/**
 * Converts a draft into the settings to send. Stored settings of the same mode, such as separators and
 * thresholds, are preserved. A size that is not a number is sent as typed, so that the service reports the
 * error.
 */
export function toTransformConfig(draft: TransformDraft, stored?: Stored | null): Stored {
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
  const getStoredPart = (name: string, mode: string) => {
    const part = getSection(stored ?? {}, name);
    return part.mode === mode ? part : {};
  };
  return {
    mode: 'advanced',
    segmentation_config: { ...getStoredPart('segmentation_config', segments), mode: segments },
    chunking_config: {
      ...getStoredPart('chunking_config', chunker),
      mode: chunker,
      ...(hasSizes({ chunker }) && sizes),
    },
  };
}

/** Describes chunking settings, such as "By sentences, 1024 tokens". */
export function describeTransform(stored: Stored | null | undefined): string {
  const draft = toTransformDraft(stored);
  if (draft.preset === 'auto') return t('Automatic, {size} tokens', { size: draft.size });

  const chunks = {
    none: t('not split further'),
    semantic: t('by meaning'),
    sentence: t('by sentences, {size} tokens', { size: draft.size }),
    token: t('by tokens, {size} tokens', { size: draft.size }),
    character: t('by characters, {size} characters', { size: draft.size }),
  }[draft.chunker];
  return {
    none: `${chunks.charAt(0).toUpperCase()}${chunks.slice(1)}`,
    page: t('Page by page, {chunks}', { chunks }),
    element: t('Element by element, {chunks}', { chunks }),
  }[draft.segments];
}
