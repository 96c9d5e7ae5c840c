export interface Citation {
  /** From 1. */
  page: number;
  matching_text: string;
  bounding_boxes?: { x: number; y: number; w: number; h: number }[];
  page_dimensions?: { width: number; height: number };
}

/** What is known of one extracted value. */
export interface Evidence {
  citation?: Citation[];
  confidence?: number;
  extraction_confidence?: number;
  parsing_confidence?: number;
  reasoning?: string;
}

const isList = (value: unknown) => Array.isArray(value);

/** An extracted object may have a member of these names too: only a leaf has them as they are here. */
export function isEvidence(metadata: unknown): metadata is Evidence {
  if (typeof metadata !== 'object' || metadata === null || isList(metadata)) return false;
  const { citation, confidence } = metadata as Record<string, unknown>;
  return isList(citation) || typeof confidence === 'number';
}

/** A member of its own; nothing that every object has. */
export const memberOf = (whole: unknown, name: string): unknown =>
  typeof whole === 'object' && whole !== null && Object.hasOwn(whole, name)
    ? (whole as Record<string, unknown>)[name]
    : undefined;

/** A JSON pointer one step further. */
export const further = (place: string, name: string) =>
  `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** What stands at a JSON pointer. */
export function memberAt(whole: unknown, place: string): unknown {
  const names = place.split('/').slice(1);
  return names.reduce<unknown>(
    (here, name) => memberOf(here, name.replaceAll('~1', '/').replaceAll('~0', '~')),
    whole,
  );
}
