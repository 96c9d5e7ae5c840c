import { elements, type XmlElement } from '#src/text-formats/xml.ts';

/** Returns the rows of a table, including those in groups and headers. */
export function odfRows(table: XmlElement): XmlElement[] {
  return elements(table).flatMap((part) => {
    if (part.name === 'table:table-row') return [part];
    return /^table:table-(?:header-rows|rows|row-group)$/.test(part.name) ? odfRows(part) : [];
  });
}

/** Reads how often a row or column is repeated. The number is at least 1. */
export const parseRepeat = (value: string | undefined): number =>
  Math.max(1, Math.trunc(Number(value ?? 1)) || 1);
