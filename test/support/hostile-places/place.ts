import type { FileKind } from '#src/file-formats/registry.ts';
import { COMMON_UNITS, MARKUP_UNITS } from '../hostile-units.ts';

/** Place in a document format where hostile text can be inserted. */
export interface HostilePlace {
  /** File name that the document is parsed under. */
  name: string;
  write(text: string): Uint8Array;
  /** Texts that are repeated there. */
  units: Record<string, string>;
  /** Maximum number of characters that the document builder supports. */
  most?: number;
}

/** Places of some formats. */
export type Places = Partial<Record<FileKind, Record<string, HostilePlace>>>;

export const encodeText = (text: string) => new TextEncoder().encode(text);
export const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };

/** Escapes text for an XML element or attribute. */
export const escaped = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no control characters
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '').replace(/[&<"]/g, (each) => ENTITIES[each]!);

/** Creates a place in a text file, between a beginning and an end of the file. */
export const plain = (
  name: string,
  head: string,
  units: Record<string, string>,
  tail = '',
): HostilePlace => ({
  name,
  write: (text) => encodeText(head + text + tail),
  units,
});

export const MARKUP = { ...COMMON_UNITS, ...MARKUP_UNITS };
/** Reduced set of units for documents that only pass text to another parser or display it. */
export const FEW = Object.fromEntries(
  ['digits', 'dots and blanks', 'newlines', 'less-than signs', 'tabs', 'tiny lines', 'very long lines'].map(
    (name) => [name, COMMON_UNITS[name]!],
  ),
);

/** Adds elements without content to the units of a format that consists of XML. */
export const officeUnits = (units: Record<string, string>) => ({
  ...units,
  'open elements': '<a>',
  'empty elements': '<a/>',
});
